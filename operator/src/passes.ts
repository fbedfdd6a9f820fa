/** Runs a function repeatedly, with a delay after each run. */
export class Passes {
  readonly #run: () => Promise<number>;
  #stopped = false;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  /** `run` resolves with the delay before the next pass in milliseconds. It must not reject. */
  constructor(run: () => Promise<number>) {
    this.#run = run;
  }

  isStopped(): boolean {
    return this.#stopped;
  }

  start(): void {
    this.#running = this.#runAndSchedule();
  }

  /** Resolves when the current pass has ended. */
  stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    return this.#running;
  }

  async #runAndSchedule(): Promise<void> {
    const delayMs = await this.#run();
    if (!this.#stopped) this.#timer = setTimeout(() => this.start(), delayMs);
  }
}
