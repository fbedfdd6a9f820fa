/** What is done at each turn, with the time by `performance.now()`. */
export type Turn = (nowMs: number) => void;

/** One timer for all streams: one for each would cost more than what it does. */
export class Ticker {
  readonly #turns = new Set<Turn>();
  readonly #timer: NodeJS.Timeout;

  constructor(intervalMs: number) {
    this.#timer = setInterval(() => {
      const nowMs = performance.now();
      for (const turn of this.#turns) turn(nowMs);
    }, intervalMs);
  }

  add(turn: Turn): void {
    this.#turns.add(turn);
  }

  remove(turn: Turn): void {
    this.#turns.delete(turn);
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
