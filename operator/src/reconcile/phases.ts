/** One step of a reconciliation; it does nothing where its work is done already. */
export interface Phase<T> {
  name: string;
  run: (subject: T) => Promise<void> | void;
}

/** A phase that failed, with the reason as its cause. */
export class PhaseFailed extends Error {
  override readonly name = 'PhaseFailed';
  readonly phase: string;

  constructor(phase: string, cause: unknown) {
    super(`${phase}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.phase = phase;
  }
}

/** Runs phases in their order; the first that fails stops the rest. */
export async function runPhases<T>(phases: readonly Phase<T>[], subject: T): Promise<void> {
  for (const { name, run } of phases) {
    try {
      await run(subject);
    } catch (error) {
      throw new PhaseFailed(name, error);
    }
  }
}
