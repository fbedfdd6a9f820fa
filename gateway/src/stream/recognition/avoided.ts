/** Matches no worker id. Keeps the avoid list of a moved stream non-empty after its last entry has expired. */
const NO_WORKER = '-';

/**
 * Workers that a stream has lost and avoids for a limited time. That time exceeds the lease of a worker, so a worker
 * that is still registered afterwards is alive. It may also be the only one available.
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

  /**
   * Returns the ids to avoid now. If the stream was open at a worker and lost it, the list is never empty. The script
   * place.lua serves requests with a non-empty list before the queue of new streams.
   */
  list(nowMs: number, everOpened: boolean): readonly string[] {
    const ids = [...this.#avoidUntilMs].filter(([, untilMs]) => nowMs < untilMs).map(([id]) => id);
    return ids.length === 0 && everOpened && this.#avoidUntilMs.size > 0 ? [NO_WORKER] : ids;
  }
}
