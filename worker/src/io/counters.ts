const FIELDS = 2;

/**
 * Counters of the I/O threads in shared memory. Each thread writes its own counters, and the main thread reads all
 * counters.
 */
export class IoCounters {
  readonly memory: SharedArrayBuffer;
  readonly #values: Float64Array;

  constructor(memory: SharedArrayBuffer) {
    this.memory = memory;
    this.#values = new Float64Array(memory);
  }

  static create(threads: number): IoCounters {
    return new IoCounters(new SharedArrayBuffer(threads * FIELDS * Float64Array.BYTES_PER_ELEMENT));
  }

  /** Number of samples that all threads have received. */
  get samples(): number {
    return this.#field(0).reduce((sum, samples) => sum + samples, 0);
  }

  /**
   * Smallest of the latest values of the inference thread's progress counter that the I/O threads have reported. It
   * does not increase while the inference thread or an I/O thread hangs.
   */
  get progress(): number {
    return Math.min(...this.#field(1));
  }

  addSamples(thread: number, samples: number): void {
    this.#values[thread * FIELDS] = (this.#values[thread * FIELDS] ?? 0) + samples;
  }

  setProgress(thread: number, progress: number): void {
    this.#values[thread * FIELDS + 1] = progress;
  }

  #field(offset: number): Float64Array {
    return this.#values.filter((_, at) => at % FIELDS === offset);
  }
}
