/** Number of removed entries at which the list is compacted. */
const COMPACT_AT = 1024;

/** A queue that removes its first entry in constant time. */
export class Fifo<T> {
  readonly #entries: T[] = [];
  /** Number of entries at the start of the list that no longer belong to the queue. */
  #head = 0;

  get length(): number {
    return this.#entries.length - this.#head;
  }

  get first(): T | undefined {
    return this.#entries[this.#head];
  }

  push(entry: T): void {
    this.#entries.push(entry);
  }

  /** Removes and returns the first entry. Returns undefined if the queue is empty. */
  shift(): T | undefined {
    if (this.length === 0) return undefined;
    const entry = this.#entries[this.#head++];
    if (this.length === 0 || this.#head >= COMPACT_AT) {
      this.#entries.splice(0, this.#head);
      this.#head = 0;
    }
    return entry;
  }

  /** Returns the number of entries that match. */
  count(matches: (entry: T) => boolean): number {
    return this.#entries.reduce((count, entry, at) => count + (at >= this.#head && matches(entry) ? 1 : 0), 0);
  }
}
