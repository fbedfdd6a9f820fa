import { expectedRunMs } from './run-cost.ts';
import type { RunCost } from './run-cost.ts';

/**
 * Longest time that a run should take. A window waits for up to one other run before its own run, and both must fit in
 * 300 ms.
 */
const MAX_RUN_MS = 100;
/** Largest ratio of the time per window in a smaller batch to the time per window in a full batch. */
const MAX_TIME_PER_WINDOW = 1.1;

/**
 * Returns the largest number of windows in a run while runs take `slowdown` times as long as at warm-up. On a slow
 * machine, a full batch would exceed the time within which results are due. Padded batches are not limited, because the
 * backend has chosen their sizes.
 */
export function batchLimit(cost: RunCost | undefined, slowdown: number, maxBatch: number): number {
  if (cost === undefined || cost.isPadded) return maxBatch;
  const timePerWindow = (size: number) => expectedRunMs(cost, size) / size;
  const mostPerWindow = MAX_TIME_PER_WINDOW * timePerWindow(maxBatch);
  let size = maxBatch;
  while (size > 1 && expectedRunMs(cost, size) * slowdown > MAX_RUN_MS && timePerWindow(size - 1) <= mostPerWindow) {
    size--;
  }
  return size;
}
