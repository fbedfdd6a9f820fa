/** Duration of the runs of a context on the machine at warm-up, by batch size. */
export interface RunCost {
  /** Measured batch sizes in ascending order. `timesMs` has the duration of a run of each size. */
  readonly sizes: readonly number[];
  readonly timesMs: readonly number[];
  /** Whether a batch is padded to the next of these sizes. */
  readonly isPadded: boolean;
}

/**
 * Returns the duration that a run of this many windows would have had at warm-up. It is interpolated between two
 * measured sizes, unless batches are padded. Larger batches have the duration of the largest size.
 */
export function expectedRunMs({ sizes, timesMs, isPadded }: RunCost, windows: number): number {
  const next = sizes.findIndex((size) => size >= windows);
  const above = next === -1 ? sizes.length - 1 : next;
  const [size = 1, timeMs = 0] = [sizes[above], timesMs[above]];
  if (isPadded || above === 0 || windows >= size) return timeMs;
  const [sizeBelow = 1, timeBelowMs = 0] = [sizes[above - 1], timesMs[above - 1]];
  return timeBelowMs + ((timeMs - timeBelowMs) * (windows - sizeBelow)) / (size - sizeBelow);
}
