/** What is done at each turn, with the time by `performance.now()`. */
export type Tick = (nowMs: number) => void;

/** One timer for all streams: one for each would cost more than what it does. */
export class Ticker {
  readonly #ticks = new Set<Tick>();
  readonly #timer: NodeJS.Timeout;

  constructor(intervalMs: number) {
    this.#timer = setInterval(() => {
      const nowMs = performance.now();
      for (const turn of this.#ticks) turn(nowMs);
    }, intervalMs);
  }

  add(turn: Tick): void {
    this.#ticks.add(turn);
  }

  remove(turn: Tick): void {
    this.#ticks.delete(turn);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
