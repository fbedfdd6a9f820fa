export interface BackoffOptions {
  /** Delay after the first failure. */
  baseMs: number;
  /** No delay is longer. */
  maxMs: number;
}

/**
 * Delay before the next try of something that failed `failures` times in a row: it doubles each time up to the
 * maximum, and a random half of it (`random` in [0, 1)) keeps many keys that failed together from coming back together.
 */
export function backoffMs(failures: number, { baseMs, maxMs }: BackoffOptions, random: number): number {
  const ceilingMs = Math.min(maxMs, baseMs * 2 ** Math.max(0, failures - 1));
  return ceilingMs * (0.5 + random / 2);
}
