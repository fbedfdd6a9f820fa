import { waitUntil } from './wait.ts';

/**
 * Maximum delay of a repetition. A repetition that would start with a longer delay is skipped, unless it is the first
 * one.
 */
const MAX_LATE_MS = 1000;

/** Clock, which tests replace. */
export interface PaceClock {
  readonly now: () => number;
  readonly waitUntil: (atMs: number) => Promise<void>;
}

const CLOCK: PaceClock = { now: () => Date.now(), waitUntil };

/**
 * Repeats an action at fixed times until `endMs`. Late repetitions follow each other without a pause, so that a slow
 * answer does not lower the rate. Skips repetitions that would start more than MAX_LATE_MS late or after `endMs`, and
 * returns their number.
 */
export async function repeatUntil(
  endMs: number,
  { startMs, intervalMs }: { startMs: number; intervalMs: number },
  act: () => Promise<void> | void,
  clock: PaceClock = CLOCK,
): Promise<number> {
  let skipped = Math.max(0, Math.ceil((endMs - startMs) / intervalMs));
  for (let dueMs = startMs; dueMs < endMs; dueMs = Math.max(dueMs + intervalMs, clock.now() - MAX_LATE_MS)) {
    if (clock.now() < dueMs) await clock.waitUntil(dueMs);
    if (clock.now() >= endMs) break;
    await act();
    skipped--;
  }
  return skipped;
}
