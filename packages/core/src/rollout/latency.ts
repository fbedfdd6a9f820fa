/**
 * Upper bounds of the buckets in which latencies of `delta` events are counted. All gateways use the same bounds, so
 * that their counters can be added.
 */
export const LATENCY_BOUNDS_MS = [
  50, 100, 150, 200, 250, 300, 400, 500, 750, 1000, 1500, 2000, 3000, 5000, 10_000, 60_000,
] as const;

/** Returns the bucket of a latency. The last bucket is for latencies above every bound. */
export function latencyBucket(latencyMs: number): number {
  const at = LATENCY_BOUNDS_MS.findIndex((bound) => latencyMs <= bound);
  return at === -1 ? LATENCY_BOUNDS_MS.length : at;
}

/**
 * Returns the latency that a share (0 to 1) of all latencies does not exceed, interpolated linearly within its bucket.
 * Undefined if there are no latencies.
 */
export function latencyQuantile(counts: readonly number[], share: number): number | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  const rank = share * total;
  let below = 0;
  for (const [at, count] of counts.entries()) {
    if (count > 0 && below + count >= rank) {
      const lower = LATENCY_BOUNDS_MS[at - 1] ?? 0;
      const upper = LATENCY_BOUNDS_MS[at];
      return upper === undefined ? Infinity : lower + ((upper - lower) * (rank - below)) / count;
    }
    below += count;
  }
  return Infinity;
}
