/** Relative difference from which on newly measured slots replace the expected ones. */
export const SLOTS_TOLERANCE = 0.15;

/**
 * Returns the slots that one more worker is expected to have. Each worker measures its slots at warm-up with a slightly
 * different result, and small differences must not start or stop workers. Undefined if no worker has reported yet.
 */
export function settleSlots(before: number | undefined, measured: readonly number[]): number | undefined {
  const now = median(measured.filter((slots) => slots > 0));
  if (now === undefined) return before;
  if (before === undefined) return now;
  return Math.abs(now - before) < before * SLOTS_TOLERANCE ? before : now;
}

/**
 * Returns the smallest n such that any n of the workers cover the need. Counts existing workers with their measured
 * slots, smallest first, then new workers with `slotsOfFurther` each.
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

/** Returns the lower median. It is safer to expect too few slots than too many. */
function median(values: readonly number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)];
}
