import { plan } from './plan-file.ts';
import { buildThresholds } from './thresholds.ts';

/** A scenario in the format of k6. */
export interface Load {
  readonly executor: string;
  readonly exec: string;
  readonly [option: string]: unknown;
}

/**
 * Time that k6 gives a started session to finish. It is enough for the pool to scale up, for the audio and for the last
 * final.
 */
const GRACEFUL_SECONDS = plan.sessionSeconds + 240;

/** Keeps a constant number of streams. Each virtual user runs one session after another. */
export function constantStreams(
  streams: number,
  seconds: number,
  options: { exec?: string; startTime?: string } = {},
): Load {
  const times = { duration: `${seconds}s`, gracefulStop: `${GRACEFUL_SECONDS}s` };
  return { exec: 'default', ...options, executor: 'constant-vus', vus: streams, ...times };
}

/** Calls a function of the script at a constant rate. */
export function constantRequests(perSecond: number, seconds: number, exec: string): Load {
  const users = { preAllocatedVUs: perSecond, maxVUs: 5 * perSecond };
  return { exec, executor: 'constant-arrival-rate', rate: perSecond, duration: `${seconds}s`, ...users };
}

/**
 * Calls a function of the script once in each virtual user. The function may start sessions for the given
 * time.
 */
export function oneCallEach(users: number, seconds: number, exec = 'default'): Load {
  const maxDuration = `${seconds + GRACEFUL_SECONDS}s`;
  return { exec, executor: 'per-vu-iterations', vus: users, iterations: 1, maxDuration };
}

/** Returns the k6 options of a script. */
export function buildK6Options(scenarios: Readonly<Record<string, Load>>) {
  return {
    scenarios,
    thresholds: buildThresholds(plan),
    // These are some of the default tags of k6. `url` is not among them, because stream URLs contain session ids, and
    // k6 would create a time series for each of them.
    systemTags: ['scenario', 'status', 'name', 'error_code', 'check'],
    summaryTrendStats: ['avg', 'med', 'p(95)', 'p(99)', 'max', 'count'],
  };
}

/** Called by k6 at the end of a run. Returns the files to write. */
export function handleSummary({ metrics }: { metrics: unknown }): Record<string, string> {
  return { [plan.metricsFile]: JSON.stringify(metrics) };
}
