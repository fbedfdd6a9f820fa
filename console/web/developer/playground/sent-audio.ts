/** Times at which audio was captured or sent, so that the latency of an answer can be computed. */
export class SentAudio {
  readonly #ends: { endMs: number; atMs: number }[] = [];
  #endMs = 0;

  /** Duration of all audio so far. */
  get durationMs(): number {
    return this.#endMs;
  }

  /** Records audio of a duration that was complete at a time. */
  add(durationMs: number, atMs: number): void {
    this.#endMs += durationMs;
    this.#ends.push({ endMs: this.#endMs, atMs });
  }

  /**
   * Returns when the audio before a position was complete. Undefined if the position lies behind the audio, as that of
   * a padded last chunk does.
   */
  completeAt(positionMs: number): number | undefined {
    return this.#ends.find(({ endMs }) => endMs >= positionMs)?.atMs;
  }
}

/** Returns the value below which a share of the values lies. Undefined without values. */
export function quantile(values: readonly number[], share: number): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
}
