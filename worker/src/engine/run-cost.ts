/** Durations of runs by batch size, as measured at warm-up for one context. */
export interface RunCost {
  /** Measured batch sizes in ascending order. `timesMs` contains the duration of a run for each of these sizes. */
  readonly sizes: readonly number[];
  readonly timesMs: readonly number[];
  /** Whether a batch is padded to the next of these sizes. */
  readonly isPadded: boolean;
}

/**
 * Returns the duration that a run of this number of windows would have had at warm-up. If batches are not padded, the
 * duration is interpolated between two measured sizes. Batches above the largest measured size have the duration of
 * that size.
 */
export function expectedRunMs({ sizes, timesMs, isPadded }: RunCost, windows: number): number {
  const next = sizes.findIndex((size) => size >= windows);
  const above = next === -1 ? sizes.length - 1 : next;
  const [size = 1, timeMs = 0] = [sizes[above], timesMs[above]];
  if (isPadded || above === 0 || windows >= size) return timeMs;
  const [sizeBelow = 1, timeBelowMs = 0] = [sizes[above - 1], timesMs[above - 1]];
  return timeBelowMs + ((timeMs - timeBelowMs) * (windows - sizeBelow)) / (size - sizeBelow);
}
