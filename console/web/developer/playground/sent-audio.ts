/** Stores when audio was captured or sent. The latency of an answer is computed from these times. */
export class SentAudio {
  readonly #ends: { endMs: number; atMs: number }[] = [];
  #endMs = 0;

  /** Duration of all audio so far. */
  get durationMs(): number {
    return this.#endMs;
  }

  /** Records the next part of the audio. `atMs` is the time at which its last sample was captured or sent. */
  add(durationMs: number, atMs: number): void {
    this.#endMs += durationMs;
    this.#ends.push({ endMs: this.#endMs, atMs });
  }

  /**
   * Returns the time at which all audio before a position had been captured or sent. Undefined if the position is
   * after the end of the audio.
   */
  completeAt(positionMs: number): number | undefined {
    return this.#ends.find(({ endMs }) => endMs >= positionMs)?.atMs;
  }
}

/** Returns a quantile of the values. A `share` of 0.5 returns the median. Undefined if there are no values. */
export function quantile(values: readonly number[], share: number): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
}
