/** No worker's id: what a stream asks for that has moved, and avoids nobody any more. */
const NO_WORKER = '-';

/**
 * Workers that a stream has lost. It keeps away from each for a while only: one that is still there when its lease must
 * have run out is alive, and may be the only one.
 */
export class Avoided {
  readonly #avoidUntilMs = new Map<string, number>();
  readonly #durationMs: number;

  constructor(durationMs: number) {
    this.#durationMs = durationMs;
  }

  add(worker: string, nowMs: number): void {
    this.#avoidUntilMs.set(worker, nowMs + this.#durationMs);
  }

  /** Of a stream that has `begun` never empty again once it was not: by that it goes before those that wait to begin. */
  list(nowMs: number, everOpened: boolean): readonly string[] {
    const ids = [...this.#avoidUntilMs].filter(([, untilMs]) => nowMs < untilMs).map(([id]) => id);
    return ids.length === 0 && everOpened && this.#avoidUntilMs.size > 0 ? [NO_WORKER] : ids;
  }
}
