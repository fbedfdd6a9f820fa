import type { PeriodTags } from './periods.ts';

/** A latency that the scenario noisy-tenant compares between quiet and noisy periods. */
export interface ComparedLatency {
  /** k6 metric, and tags that select the measurements. */
  readonly metric: string;
  readonly tags: string;
  /**
   * Largest increase of the 95th percentile in milliseconds that is allowed even if it is more than 10 %. A request
   * takes a few milliseconds, and 10 % of this time are less than one turn of the event loop.
   */
  readonly allowanceMs: number;
}

/** Largest increase of a 95th percentile, as a factor. */
export const MAX_RATIO = 1.1;
const REQUEST_ALLOWANCE_MS = 3;

/** Latencies of the regular tenants. Noise may increase them only within the limits above. */
export const COMPARED = {
  create: { metric: 'http_req_duration', tags: 'name:create session,', allowanceMs: REQUEST_ALLOWANCE_MS },
  ready: { metric: 'ready_latency', tags: '', allowanceMs: REQUEST_ALLOWANCE_MS },
  'first delta': { metric: 'first_delta_latency', tags: '', allowanceMs: 0 },
  delta: { metric: 'delta_latency', tags: '', allowanceMs: 0 },
  final: { metric: 'final_latency', tags: '', allowanceMs: 0 },
} as const satisfies Record<string, ComparedLatency>;

export type ComparedName = keyof typeof COMPARED;
export const COMPARED_NAMES = Object.keys(COMPARED) as ComparedName[];

/**
 * Returns the k6 metric of a latency in quiet or in noisy periods. If `half` is given, the metric covers only the
 * periods with this tag.
 */
export function comparedMetric(name: ComparedName, period: PeriodTags['period'], half?: PeriodTags['half']): string {
  const { metric, tags } = COMPARED[name];
  return `${metric}{${tags}period:${period}${half === undefined ? '' : `,half:${half}`}}`;
}
