import type { BatchTiming } from '../../native/submission.ts';

/**
 * Adds up the time that a run takes on this thread and on the device. Other work that the thread does between the parts
 * of a run does not count.
 */
export class RunMeter {
  #cpuMs = 0;
  #hostMs = 0;
  #copyInMs = 0;
  #computeMs = 0;
  #copyOutMs = 0;

  get figures() {
    return {
      runCpuMs: this.#cpuMs,
      hostMs: this.#hostMs,
      copyInMs: this.#copyInMs,
      computeMs: this.#computeMs,
      copyOutMs: this.#copyOutMs,
    };
  }

  /** Calls `work` and counts its CPU time and wall time. */
  measure<T>(work: () => T): T {
    const [before, startedMs] = [process.threadCpuUsage(), performance.now()];
    try {
      return work();
    } finally {
      const { user, system } = process.threadCpuUsage(before);
      this.#cpuMs += (user + system) / 1000;
      this.#hostMs += performance.now() - startedMs;
    }
  }

  /** Counts the device time of a batch. */
  add({ copyInMs, computeMs, copyOutMs }: BatchTiming): void {
    this.#copyInMs += copyInMs;
    this.#computeMs += computeMs;
    this.#copyOutMs += copyOutMs;
  }
}
