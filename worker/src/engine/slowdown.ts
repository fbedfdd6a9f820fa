/**
 * Lower bound of the first bin in a histogram of slowdowns. The slowdown of a run is its duration divided by the
 * duration at warm-up. Each bin is wider than the previous bin by the factor GROWTH.
 */
const LEAST = 0.25;
const GROWTH = 1.05;
/** Number of bins. The last bin contains all slowdowns of about 16 or more. */
export const SLOWDOWN_BINS = 86;

/** Returns the bin of a slowdown. */
export function binOf(slowdown: number): number {
  const bin = Math.floor(Math.log(slowdown / LEAST) / Math.log(GROWTH));
  return Math.min(SLOWDOWN_BINS - 1, Math.max(0, bin));
}

/**
 * Returns a quantile of the slowdowns. The given share of the work has at most this slowdown. Undefined if the
 * histogram is empty.
 */
export function slowdownAt(weights: readonly number[], share: number): number | undefined {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total <= 0) return undefined;
  let below = 0;
  const bin = weights.findIndex((weight) => (below += weight) >= total * share);
  // Returns the middle of the bin.
  return LEAST * GROWTH ** ((bin === -1 ? weights.length - 1 : bin) + 0.5);
}
