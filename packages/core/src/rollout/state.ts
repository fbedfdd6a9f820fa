import type { RevisionCounts } from './counts.ts';
import type { Breach } from './gate.ts';

/** State of a model's rollout between two decisions. It also outlives the operator process. */
export interface RolloutState {
  /** Revision that passed its rollout. Undefined if there was none yet. */
  readonly stable: string | undefined;
  /** Revision that is being rolled out. */
  readonly candidate: Candidate | undefined;
  /** Revision that was rolled back. It is not tried again until the model has specified another one. */
  readonly rejected: (Breach & { readonly revision: string }) | undefined;
}

export interface Candidate {
  readonly revision: string;
  /**
   * `starting` until the first worker of the candidate accepts sessions, `canary` while the candidate receives a share
   * of them, then `rolling`.
   */
  readonly phase: 'starting' | 'canary' | 'rolling';
  /**
   * Time that workers of the candidate have been starting. After the first one is ready, only the time that a tier is
   * blocked counts. Absent if an operator of an earlier version stored it.
   */
  readonly startingMs?: number;
  /** Time that the candidate was under observation. Periods without an observation do not count. */
  readonly watchedMs: number;
  /** Time of the last observation. Undefined if this operator has made none. */
  readonly observedAtMs: number | undefined;
  /** Counts at the time when the candidate started to accept sessions. */
  readonly before: { readonly candidate: RevisionCounts; readonly stable: RevisionCounts } | undefined;
}

/** State of a model without a recorded rollout. */
export const NO_ROLLOUT: RolloutState = { stable: undefined, candidate: undefined, rejected: undefined };

/** Returns whether two states are the same apart from times and counts, and so need not be stored again. */
export function isSameRollout(a: RolloutState, b: RolloutState): boolean {
  return (
    a.stable === b.stable &&
    a.rejected?.revision === b.rejected?.revision &&
    a.candidate?.revision === b.candidate?.revision &&
    a.candidate?.phase === b.candidate?.phase
  );
}
