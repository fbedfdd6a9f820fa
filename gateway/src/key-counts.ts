/**
 * Counts the current holders of each key. For example, the keys are tenants, and the holders are their open
 * connections. A key without holders takes no memory.
 */
export class KeyCounts {
  readonly #counts = new Map<string, number>();

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  /**
   * Adds one to the count of a key. Returns the function that subtracts it again. Only the first call of that function
   * has an effect.
   */
  add(key: string): () => void {
    this.#counts.set(key, this.of(key) + 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      const left = this.of(key) - 1;
      if (left > 0) this.#counts.set(key, left);
      else this.#counts.delete(key);
    };
  }
}
