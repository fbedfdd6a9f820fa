import type { Installation } from './installation.ts';
import { countProtected } from './objects/disruption-budget.ts';
import type { WorkerPod } from './pods/pod.ts';

/** Time for which a lower number of protected pods must last before it is written. */
const SETTLE_MS = 10_000;

/**
 * Decides when the number of protected pods of a model is written. A higher number is written at once, because streams
 * depend on it. A lower number is written only after some time, so that a changing load causes few writes.
 */
export class DisruptionLimits {
  readonly #nowMs: () => number;
  readonly #written = new Map<string, number>();
  /**
   * Models for which the wanted number of protected pods is lower than the written number. `sinceMs` is the time at
   * which it became lower, and `highest` is the highest wanted number since that time.
   */
  readonly #lower = new Map<string, { highest: number; sinceMs: number }>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Returns how many of the ready pods must not be evicted. Undefined if evictions are not limited. */
  countProtected(
    model: string,
    pods: readonly WorkerPod[],
    evictable: number,
    { maxUnavailable }: Pick<Installation, 'maxUnavailable'>,
  ): number | undefined {
    const ready = pods.filter((pod) => pod.ready && !pod.terminating).length;
    const wanted = countProtected(ready, evictable, maxUnavailable);
    return wanted === undefined ? undefined : this.settle(model, wanted);
  }

  /** Returns the number to write. The number does not decrease before lower numbers were wanted for SETTLE_MS. */
  settle(model: string, wanted: number): number {
    const written = this.#written.get(model);
    if (written === undefined || wanted >= written) return this.#write(model, wanted);
    const { highest, sinceMs } = this.#lower.get(model) ?? { highest: 0, sinceMs: this.#nowMs() };
    const lower = { highest: Math.max(highest, wanted), sinceMs };
    if (this.#nowMs() - sinceMs >= SETTLE_MS) return this.#write(model, lower.highest);
    this.#lower.set(model, lower);
    return written;
  }

  /** Call when a model was deleted. */
  forget(model: string): void {
    this.#written.delete(model);
    this.#lower.delete(model);
  }

  #write(model: string, count: number): number {
    this.#lower.delete(model);
    this.#written.set(model, count);
    return count;
  }
}
