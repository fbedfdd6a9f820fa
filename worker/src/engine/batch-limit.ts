import { expectedRunMs } from './run-cost.ts';
import type { RunCost } from './run-cost.ts';

/**
 * Longest time that a run should take. A window waits for at most one other run before its own run. Both runs together
 * must end within 300 ms.
 */
const MAX_RUN_MS = 100;
/** Largest ratio of the time per window in a smaller batch to the time per window in a full batch. */
const MAX_TIME_PER_WINDOW = 1.1;

/**
 * Returns the largest number of windows in a run while runs take `slowdown` times as long as at warm-up. On a slow
 * machine, the results of a full batch would be late. Padded batches are not limited, because the backend has already
 * chosen sizes that are fast enough.
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
