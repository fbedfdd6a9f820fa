/** What is promised of latency: metric of k6, and the sentence of the service's promises that it checks. */
export const PROMISES = {
  delta: { metric: 'delta_latency', quote: '`delta` within 300 ms (p95) of the sample that completes its chunk' },
  final: { metric: 'final_latency', quote: '`final` within 600 ms (p95) of flush' },
  ready: { metric: 'ready_latency', quote: '`ready` within 1 s (p95) with a warm worker' },
} as const;

export type PromiseName = keyof typeof PROMISES;

/** Limits of the 95th percentiles, in milliseconds. */
export type Limits = Readonly<Record<PromiseName, number>>;

/** Thresholds in k6's form. Only those whom the promises are made to count: a caller who floods is promised nothing. */
export function buildThresholds(limits: Limits): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(PROMISES).map(([name, { metric }]) => [
      `${metric}{role:regular}`,
      [`p(95)<=${limits[name as PromiseName]}`],
    ]),
  );
}
