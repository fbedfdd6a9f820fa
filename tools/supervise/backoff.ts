const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 10_000;
/** A program that ran for this long was well: its earlier failures no longer count. */
const WELL_AFTER_MS = 30_000;

/** How many times in a row a program has failed, after it ended once more. */
export function countFailures(before: number, ranForMs: number): number {
  return ranForMs >= WELL_AFTER_MS ? 1 : before + 1;
}

/** How long to wait before a program that failed so many times in a row is started again. */
export function restartDelayMs(failures: number): number {
  return Math.min(FIRST_DELAY_MS * 2 ** Math.max(0, failures - 1), LONGEST_DELAY_MS);
}
