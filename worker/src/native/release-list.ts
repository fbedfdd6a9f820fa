/** A list of native objects in the order of their creation. `release` releases them in reverse order. */
export class ReleaseList {
  readonly #tasks: (() => void)[] = [];

  /** Adds an object and returns it. */
  add<T extends { release(): void }>(object: T): T {
    this.defer(() => {
      object.release();
    });
    return object;
  }

  /** Adds a function that `release` calls. Use it for objects without a method `release`. */
  defer(task: () => void): void {
    this.#tasks.push(task);
  }

  /** Releases all objects. A second call does nothing. */
  release(): void {
    for (let task = this.#tasks.pop(); task !== undefined; task = this.#tasks.pop()) task();
  }
}
