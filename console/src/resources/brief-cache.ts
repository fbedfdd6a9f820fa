export interface BriefCacheOptions {
  ttlMs: number;
  maxEntries: number;
  /** Returns a time in milliseconds that never goes back. */
  now?: () => number;
}

/** Keeps results of reads for a short time. Concurrent reads of one key share one load. Failures are not kept. */
export class BriefCache<T> {
  readonly #options: BriefCacheOptions;
  readonly #entries = new Map<string, { value: Promise<T>; untilMs: number }>();

  constructor(options: BriefCacheOptions) {
    this.#options = options;
  }

  read(key: string, load: () => Promise<T>): Promise<T> {
    const nowMs = this.#options.now?.() ?? performance.now();
    const known = this.#entries.get(key);
    if (known !== undefined && nowMs < known.untilMs) return known.value;
    const value = load();
    // The time to live starts before the load, so that a change during the load is not hidden longer than ttlMs.
    this.#entries.delete(key);
    this.#entries.set(key, { value, untilMs: nowMs + this.#options.ttlMs });
    value.catch(() => {
      if (this.#entries.get(key)?.value === value) this.#entries.delete(key);
    });
    this.#evictOldest();
    return value;
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  #evictOldest(): void {
    if (this.#entries.size <= this.#options.maxEntries) return;
    const oldest = this.#entries.keys().next();
    if (oldest.done !== true) this.#entries.delete(oldest.value);
  }
}
