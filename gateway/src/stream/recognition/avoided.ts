/** No worker's id: what a stream asks for that has moved, and avoids nobody any more. */
const NOBODY = '-';

/**
 * Workers that a stream has lost. It keeps away from each for a while only: one that is still there when its lease must
 * have run out is alive, and may be the only one.
 */
export class Avoided {
  readonly #untilMs = new Map<string, number>();
  readonly #forMs: number;

  constructor(forMs: number) {
    this.#forMs = forMs;
  }

  add(worker: string, nowMs: number): void {
    this.#untilMs.set(worker, nowMs + this.#forMs);
  }

  /** Of a stream that has `begun` never empty again once it was not: by that it goes before those that wait to begin. */
  list(nowMs: number, begun: boolean): readonly string[] {
    const ids = [...this.#untilMs].filter(([, untilMs]) => nowMs < untilMs).map(([id]) => id);
    return ids.length === 0 && begun && this.#untilMs.size > 0 ? [NOBODY] : ids;
  }
}
