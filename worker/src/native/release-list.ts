/** Native objects in the order of their creation. `release` releases them in the opposite order. */
export class ReleaseList {
  readonly #tasks: (() => void)[] = [];

  /** Adds an object and returns it. */
  add<T extends { release(): void }>(object: T): T {
    this.defer(() => {
      object.release();
    });
    return object;
  }

  /** Adds a function that `release` calls. */
  defer(task: () => void): void {
    this.#tasks.push(task);
  }

  /** Releases everything. A second call does nothing. */
  release(): void {
    for (let task = this.#tasks.pop(); task !== undefined; task = this.#tasks.pop()) task();
  }
}
