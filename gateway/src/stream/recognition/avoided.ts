/**
 * Placeholder that matches no worker id. If a stream has lost its worker and all entries have expired, the list
 * contains only this placeholder. The list is then not empty, so place.lua serves the stream before new streams.
 */
const NO_WORKER = '-';

/**
 * Workers that a stream has lost or left, and avoids for a limited time. That time is longer than the lease of a
 * worker. A worker that is still registered afterwards is therefore alive, and it may be the only one available.
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
   * Returns the ids of workers to avoid now. If a worker had opened the stream and was lost, the list is never empty.
   * The script place.lua serves requests with a non-empty list before new streams.
   */
  list(nowMs: number, everOpened: boolean): readonly string[] {
    const ids = [...this.#avoidUntilMs].filter(([, untilMs]) => nowMs < untilMs).map(([id]) => id);
    return ids.length === 0 && everOpened && this.#avoidUntilMs.size > 0 ? [NO_WORKER] : ids;
  }
}
