/** What was counted of the workers of one revision since they first took sessions. */
export interface RevisionCounts {
  /** Streams that left one of its workers, for whatever reason. */
  readonly streams: number;
  /** Those of them that left because the worker failed: it died, hung, or the model did not work. */
  readonly failures: number;
  /** Latencies of `delta` events, counted in the buckets of LATENCY_BOUNDS_MS. */
  readonly latencies: readonly number[];
}

export const NO_COUNTS: RevisionCounts = { streams: 0, failures: 0, latencies: [] };

/** What was counted since; where a counter is lower than before it began anew, and all of it is since. */
export function countsSince(now: RevisionCounts, before: RevisionCounts): RevisionCounts {
  const since = (count: number, earlier: number) => (count < earlier ? count : count - earlier);
  return {
    streams: since(now.streams, before.streams),
    failures: since(now.failures, before.failures),
    latencies: now.latencies.map((count, at) => since(count, before.latencies[at] ?? 0)),
  };
}
