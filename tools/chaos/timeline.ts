/** Something that happened in a run. */
export interface Happening {
  readonly atMs: number;
  readonly text: string;
}

/** Everything that happened in a run, in order. Times are milliseconds since its start. */
export class Timeline {
  readonly #startedAt = performance.now();
  readonly #happenings: Happening[] = [];
  readonly violations: Happening[] = [];

  get nowMs(): number {
    return performance.now() - this.#startedAt;
  }

  add(text: string): void {
    this.#happenings.push({ atMs: this.nowMs, text });
  }

  /** Adds a violation of a guarantee. One violation is enough for the run to fail. */
  violate(text: string): void {
    const violation = { atMs: this.nowMs, text };
    this.violations.push(violation);
    this.#happenings.push({ atMs: violation.atMs, text: `VIOLATION: ${text}` });
  }

  /** Returns what happened in a period, with one line for each event. */
  between(fromMs: number, toMs: number): string[] {
    return this.#happenings
      .filter(({ atMs }) => atMs >= fromMs && atMs <= toMs)
      .map(({ atMs, text }) => `${(atMs / 1000).toFixed(2).padStart(9)} s  ${text}`);
  }
}
