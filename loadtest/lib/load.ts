import { plan } from './plan-file.ts';

/** A scenario in k6's form. */
export interface Load {
  readonly executor: string;
  readonly exec: string;
  readonly [option: string]: unknown;
}

/** A session that was begun is always finished: waiting for a pool to grow, its audio, its final. */
const gracefulStop = `${plan.sessionSeconds + 240}s`;

/** So many streams at a time, each session followed by the next. */
export function streaming(streams: number, seconds: number, options: { exec?: string; startTime?: string } = {}): Load {
  return { exec: 'default', ...options, executor: 'constant-vus', vus: streams, duration: `${seconds}s`, gracefulStop };
}

/** So many streams, one session each. */
export function once(streams: number): Load {
  return { exec: 'default', executor: 'per-vu-iterations', vus: streams, iterations: 1, maxDuration: gracefulStop };
}

/** Options of every script. */
export function optionsOf(scenarios: Readonly<Record<string, Load>>, thresholds: Record<string, string[]> = {}) {
  // The names of streams hold session ids, of which k6 would make a time series each.
  return { scenarios, thresholds, systemTags: ['scenario', 'status', 'name', 'error_code'], setupTimeout: '30s' };
}
