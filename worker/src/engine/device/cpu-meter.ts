/** Adds up the CPU time that this thread takes for parts of a run. Other tasks of the thread run between the parts. */
export class CpuMeter {
  #ms = 0;

  get ms(): number {
    return this.#ms;
  }

  /** Calls `work` and counts its CPU time. */
  measure<T>(work: () => T): T {
    const before = process.threadCpuUsage();
    try {
      return work();
    } finally {
      const { user, system } = process.threadCpuUsage(before);
      this.#ms += (user + system) / 1000;
    }
  }
}
