const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 10_000;
/** Earlier failures no longer count after a program has run for this long. */
const WELL_AFTER_MS = 30_000;

/** Returns the number of consecutive failures after a program has ended again. */
export function countFailures(before: number, ranForMs: number): number {
  return ranForMs >= WELL_AFTER_MS ? 1 : before + 1;
}

/** Returns the delay before a program is restarted, by its number of consecutive failures. */
export function restartDelayMs(failures: number): number {
  return Math.min(FIRST_DELAY_MS * 2 ** Math.max(0, failures - 1), LONGEST_DELAY_MS);
}
