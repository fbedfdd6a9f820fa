/**
 * Upper bounds of the buckets in which latencies of `delta` events are counted: whoever measures adds to counters, and
 * counters of many gateways add up to one distribution.
 */
export const LATENCY_BOUNDS_MS = [
  50, 100, 150, 200, 250, 300, 400, 500, 750, 1000, 1500, 2000, 3000, 5000, 10_000, 60_000,
] as const;

/** The bucket of a latency; the last one is for those beyond every bound. */
export function latencyBucket(latencyMs: number): number {
  const at = LATENCY_BOUNDS_MS.findIndex((bound) => latencyMs <= bound);
  return at === -1 ? LATENCY_BOUNDS_MS.length : at;
}

/** The latency that this share of all was within, by straight line inside its bucket; undefined: there was none. */
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
