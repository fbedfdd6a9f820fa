/**
 * Returns the index of the largest of `count` values starting at `from`, relative to `from`. Among equal values the
 * first one wins.
 */
export function argmax(values: Float32Array, from: number, count: number): number {
  let best = 0;
  let top = -Infinity;
  for (let i = 0; i < count; i++) {
    const value = values[from + i] ?? -Infinity;
    if (value > top) {
      top = value;
      best = i;
    }
  }
  return best;
}
