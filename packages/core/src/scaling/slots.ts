/** Relative difference at which newly measured slots replace the expected slots. */
export const SLOTS_TOLERANCE = 0.15;

/**
 * Returns the number of slots that one more worker is expected to have. Each worker measures its slots at warm-up, with
 * slightly different results. Small differences must not start or stop workers. Undefined if no worker has reported its
 * slots yet.
 */
export function settleSlots(before: number | undefined, measured: readonly number[]): number | undefined {
  const now = median(measured.filter((slots) => slots > 0));
  if (now === undefined) return before;
  if (before === undefined) return now;
  return Math.abs(now - before) < before * SLOTS_TOLERANCE ? before : now;
}

/**
 * Returns the smallest n such that any n of the workers cover the need. Counts the slots of existing workers, the
 * smallest first, and then `slotsOfNewWorker` for each new worker.
 */
export function countWorkers(need: number, present: readonly number[], slotsOfNewWorker: number): number {
  let covered = 0;
  let count = 0;
  for (const slots of present.toSorted((a, b) => a - b)) {
    if (covered >= need) return count;
    covered += slots;
    count += 1;
  }
  return count + Math.ceil(Math.max(0, need - covered) / slotsOfNewWorker);
}

/** Returns the lower median, because it is safer to expect too few slots than too many. */
function median(values: readonly number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)];
}
