export interface BackoffOptions {
  /** Largest delay after the first failure. */
  baseMs: number;
  /** Maximum delay. */
  maxMs: number;
}

/**
 * Returns the delay before the next attempt after `failures` consecutive failures. The delay doubles with each failure,
 * up to the maximum. Up to half of it is random (`random` is in [0, 1)), so that attempts that failed together are not
 * repeated together.
 */
export function backoffMs(failures: number, { baseMs, maxMs }: BackoffOptions, random: number): number {
  const ceilingMs = Math.min(maxMs, baseMs * 2 ** Math.max(0, failures - 1));
  return ceilingMs * (0.5 + random / 2);
}
