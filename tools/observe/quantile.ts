import type { Reading } from './metric-store.ts';

/**
 * Returns a quantile of several histograms together: the given share of all values is below it. The histograms must
 * have the same bounds. Assumes an even distribution inside each bucket. Returns undefined if the histograms are empty.
 */
export function quantile(share: number, histograms: readonly Pick<Reading, 'bounds' | 'counts'>[]): number | undefined {
  const bounds = histograms[0]?.bounds ?? [];
  const counts = Array.from({ length: bounds.length + 1 }, (_, index) =>
    histograms.reduce((total, histogram) => total + (histogram.counts[index] ?? 0), 0),
  );
  const rank = share * counts.reduce((total, count) => total + count, 0);
  let below = 0;
  for (const [index, count] of counts.entries()) {
    if (count > 0 && below + count >= rank) {
      const low = bounds[index - 1] ?? 0;
      return low + (((bounds[index] ?? low) - low) * (rank - below)) / count;
    }
    below += count;
  }
  return undefined;
}
