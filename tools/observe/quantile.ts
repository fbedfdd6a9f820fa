/**
 * Returns the value below which the given share of a histogram lies. Assumes an even distribution inside each bucket.
 * Undefined if the histogram is empty.
 */
export function quantile(share: number, bounds: readonly number[], counts: readonly number[]): number | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total <= 0) return undefined;
  let below = 0;
  for (const [at, count] of counts.entries()) {
    if (count > 0 && below + count >= share * total) {
      const low = bounds[at - 1] ?? 0;
      const high = bounds[at] ?? bounds.at(-1) ?? 0;
      return low + ((high - low) * (share * total - below)) / count;
    }
    below += count;
  }
  return bounds.at(-1);
}

/** Adds up histograms with the same bounds. */
export function addUp(histograms: readonly { bounds: readonly number[]; counts: readonly number[] }[]): {
  bounds: readonly number[];
  counts: number[];
} {
  const bounds = histograms[0]?.bounds ?? [];
  const counts = Array.from({ length: bounds.length + 1 }, (_, at) =>
    histograms.reduce((sum, histogram) => sum + (histogram.counts[at] ?? 0), 0),
  );
  return { bounds, counts };
}
