/** Limits the rate of messages: a burst at once, then one more after each `1 / perSecond` (GCRA). */
export class MessageRate {
  readonly #costMs: number;
  readonly #burstMs: number;
  /** Time at which the whole burst is available again. */
  #restoredAtMs = -Infinity;

  constructor(perSecond: number, burst: number) {
    this.#costMs = 1000 / perSecond;
    this.#burstMs = burst * this.#costMs;
  }

  /**
   * Counts a message and returns 0 if the rate allows it. Otherwise returns the time until it does, and counts nothing.
   */
  take(nowMs: number): number {
    const restoredAtMs = Math.max(nowMs, this.#restoredAtMs) + this.#costMs;
    const excessMs = restoredAtMs - nowMs - this.#burstMs;
    // The tolerance keeps rounding from refusing the last message of a burst.
    if (excessMs > 0.001) return excessMs;
    this.#restoredAtMs = restoredAtMs;
    return 0;
  }
}
