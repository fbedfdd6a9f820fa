import type { RevisionCounts } from './counts.ts';
import type { Breach } from './gate.ts';

/** State of a model's rollout between two decisions. It is stored, so that it survives a restart of the operator. */
export interface RolloutState {
  /** Revision that passed its rollout. Undefined if there was none yet. */
  readonly stable: string | undefined;
  /** Revision that is being rolled out. */
  readonly candidate: Candidate | undefined;
  /** Revision that was rolled back. It is not tried again until the model has specified another revision. */
  readonly rejected: (Breach & { readonly revision: string }) | undefined;
}

export interface Candidate {
  readonly revision: string;
  /**
   * `starting` until the first worker of the candidate accepts sessions, `canary` while the candidate receives a share
   * of the sessions, then `rolling`.
   */
  readonly phase: 'starting' | 'canary' | 'rolling';
  /**
   * Time for which workers of the candidate have been starting. After its first worker is ready, it is the time for
   * which workers of one of its tiers have been failing at start. Absent if the state was stored by an operator of an
   * earlier version.
   */
  readonly startingMs?: number;
  /**
   * Time for which the candidate was observed. Periods without an observation or without ready workers do not count.
   */
  readonly watchedMs: number;
  /** Time of the last observation. Undefined if this operator process has made none, or if the last one failed. */
  readonly observedAtMs: number | undefined;
  /** Counts at the time when the candidate started to accept sessions. */
  readonly before: { readonly candidate: RevisionCounts; readonly stable: RevisionCounts } | undefined;
}

/** State of a model without a recorded rollout. */
export const NO_ROLLOUT: RolloutState = { stable: undefined, candidate: undefined, rejected: undefined };

/** Returns whether two states differ at most in times and counts. The newer state then need not be stored. */
export function isSameRollout(a: RolloutState, b: RolloutState): boolean {
  return (
    a.stable === b.stable &&
    a.rejected?.revision === b.rejected?.revision &&
    a.candidate?.revision === b.candidate?.revision &&
    a.candidate?.phase === b.candidate?.phase
  );
}
