/**
 * Limits the rate of messages with the algorithm GCRA. A burst is allowed at once, and then one more message after each
 * `1 / perSecond` seconds.
 */
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
   * Counts a message and returns 0 if the rate allows the message. Otherwise counts nothing, and returns the
   * milliseconds until the rate allows a message.
   */
  take(nowMs: number): number {
    const restoredAtMs = Math.max(nowMs, this.#restoredAtMs) + this.#costMs;
    const excessMs = restoredAtMs - nowMs - this.#burstMs;
    // Without the tolerance, a rounding error could refuse the last message of a burst.
    if (excessMs > 0.001) return excessMs;
    this.#restoredAtMs = restoredAtMs;
    return 0;
  }
}
