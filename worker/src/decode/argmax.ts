/**
 * Returns the index of the largest of the `count` values that start at `from`. The index is relative to `from`. If
 * several values are the largest, returns the first index.
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
