import { plan } from './plan-file.ts';

/** A scenario in the format of k6. */
export interface Load {
  readonly executor: string;
  readonly exec: string;
  readonly [option: string]: unknown;
}

/** A session that was started is always finished. Allows for a pool that scales up, the audio and the last final. */
const gracefulStop = `${plan.sessionSeconds + 240}s`;

/** Keeps a constant number of streams. Each virtual user runs one session after another. */
export function constantStreams(
  streams: number,
  seconds: number,
  options: { exec?: string; startTime?: string } = {},
): Load {
  return { exec: 'default', ...options, executor: 'constant-vus', vus: streams, duration: `${seconds}s`, gracefulStop };
}

/** Runs one session in each stream. */
export function oneSessionEach(streams: number): Load {
  return { exec: 'default', executor: 'per-vu-iterations', vus: streams, iterations: 1, maxDuration: gracefulStop };
}

/** Returns the k6 options of a script. */
export function buildK6Options(scenarios: Readonly<Record<string, Load>>, thresholds: Record<string, string[]> = {}) {
  // Without the tag `url`. Stream URLs contain session ids, and k6 would create a time series for each.
  return { scenarios, thresholds, systemTags: ['scenario', 'status', 'name', 'error_code'], setupTimeout: '30s' };
}
