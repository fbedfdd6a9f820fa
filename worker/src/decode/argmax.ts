/** Index of the largest of `count` values from `from` on, relative to `from`; the first one among equals. */
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
