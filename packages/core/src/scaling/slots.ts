/** Slots that were measured anew count once they differ from what was counted on by this much. */
export const SLOTS_TOLERANCE = 0.15;

/**
 * How many sessions one more worker is counted to take. Workers measure their slots at warm-up, and each measures a
 * little differently; small differences must not start or end workers. Undefined: nobody has told yet.
 */
export function settleSlots(before: number | undefined, measured: readonly number[]): number | undefined {
  const now = median(measured.filter((slots) => slots > 0));
  if (now === undefined) return before;
  if (before === undefined) return now;
  return Math.abs(now - before) < before * SLOTS_TOLERANCE ? before : now;
}

/**
 * The fewest workers of which any choice covers the need: those that are there with the slots they told, the smallest
 * first, then further ones with what one is counted to take.
 */
export function countWorkers(need: number, present: readonly number[], slotsOfFurther: number): number {
  let covered = 0;
  let count = 0;
  for (const slots of present.toSorted((a, b) => a - b)) {
    if (covered >= need) return count;
    covered += slots;
    count += 1;
  }
  return count + Math.ceil(Math.max(0, need - covered) / slotsOfFurther);
}

/** The lower of the two in the middle where their number is even: counting on too little is the safe side. */
function median(values: readonly number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)];
}
