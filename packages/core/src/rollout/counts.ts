/**
 * Counts of streams, failures and latencies of all workers of one revision. Counting starts when the first of these
 * workers accepts sessions.
 */
export interface RevisionCounts {
  /** Number of streams that ended on a worker of the revision or moved away from it, for any reason. */
  readonly streams: number;
  /** Number of streams whose worker was lost, hung or did not open the stream, or whose model failed. */
  readonly failures: number;
  /** Latencies of `delta` events, counted in the buckets of LATENCY_BOUNDS_MS. */
  readonly latencies: readonly number[];
}

export const NO_COUNTS: RevisionCounts = { streams: 0, failures: 0, latencies: [] };

/**
 * Returns the difference between the counts `now` and the earlier counts `before`. A counter that is lower than before
 * was reset, so its whole value is new.
 */
export function countsSince(now: RevisionCounts, before: RevisionCounts): RevisionCounts {
  const since = (count: number, earlier: number) => (count < earlier ? count : count - earlier);
  return {
    streams: since(now.streams, before.streams),
    failures: since(now.failures, before.failures),
    latencies: now.latencies.map((count, at) => since(count, before.latencies[at] ?? 0)),
  };
}
