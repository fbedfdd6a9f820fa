import { PhaseFailed } from '../failure/phase-failed.ts';

/** One step of a reconcile. It must be idempotent. */
export interface Phase<T> {
  name: string;
  run: (subject: T) => Promise<void> | void;
  /**
   * Returns false if the later phases must wait. A later event then enqueues the resource again. Absent if the later
   * phases never wait.
   */
  isDone?: (subject: T) => boolean;
}

/**
 * Runs phases in order. The first phase that fails or waits stops the later ones. Resolves to true if all phases are
 * done.
 */
export async function runPhases<T>(phases: readonly Phase<T>[], subject: T): Promise<boolean> {
  for (const { name, run, isDone } of phases) {
    try {
      await run(subject);
      if (isDone?.(subject) === false) return false;
    } catch (error) {
      throw new PhaseFailed(name, error);
    }
  }
  return true;
}
