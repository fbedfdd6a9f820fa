/** Called at each tick with the time of `performance.now()`. */
export type Tick = (nowMs: number) => void;

/**
 * One timer for all streams, or for all realtime connections. A separate timer for each of them would cost more CPU
 * time than the work that it starts.
 */
export class Ticker {
  readonly #ticks = new Set<Tick>();
  readonly #timer: NodeJS.Timeout;

  constructor(intervalMs: number) {
    this.#timer = setInterval(() => {
      const nowMs = performance.now();
      for (const tick of this.#ticks) tick(nowMs);
    }, intervalMs);
  }

  add(tick: Tick): void {
    this.#ticks.add(tick);
  }

  remove(tick: Tick): void {
    this.#ticks.delete(tick);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
