/** Thrown when a phase of a reconciliation fails. The field `cause` contains the original error. */
export class PhaseFailed extends Error {
  override readonly name = 'PhaseFailed';
  readonly phase: string;

  constructor(phase: string, cause: unknown) {
    super(`${phase}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.phase = phase;
  }
}

/** Returns the original error of a failed phase, and any other error unchanged. */
export function rootCauseOf(error: unknown): unknown {
  return error instanceof PhaseFailed ? error.cause : error;
}
