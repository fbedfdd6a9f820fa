import { PhaseFailed } from '../failure/phase-failed.ts';

/** One step of a reconciliation; it does nothing where its work is done already. */
export interface Phase<T> {
  name: string;
  run: (subject: T) => Promise<void> | void;
  /** False: the phases after it wait for something that will bring the resource back. Absent: they do not wait. */
  isDone?: (subject: T) => boolean;
}

/** Runs phases in their order; the first that fails or waits stops the rest. Resolves to whether all are done. */
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
