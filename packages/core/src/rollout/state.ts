import type { RevisionCounts } from './counts.ts';
import type { Breach } from './gate.ts';

/** What is remembered of a model's rollout from one decision to the next, and from one operator to the next. */
export interface RolloutState {
  /** The revision that was found good; undefined: there has been none. */
  readonly stable: string | undefined;
  /** The revision that is to follow it. */
  readonly candidate: Candidate | undefined;
  /** The revision that was found bad. It is not tried again before the model has asked for another. */
  readonly rejected: (Breach & { readonly revision: string }) | undefined;
}

export interface Candidate {
  readonly revision: string;
  /** `starting` until its first worker takes sessions, `canary` while it gets a share of them, then `rolling`. */
  readonly phase: 'starting' | 'canary' | 'rolling';
  /** For how long it has been watched; time in which nobody looked does not count. */
  readonly watchedMs: number;
  /** When it was last looked at; undefined: not by this operator. */
  readonly lookedAtMs: number | undefined;
  /** What had been counted when it began to take sessions. */
  readonly before: { readonly candidate: RevisionCounts; readonly stable: RevisionCounts } | undefined;
}

/** The state of a model of which nothing is remembered. */
export const NO_ROLLOUT: RolloutState = { stable: undefined, candidate: undefined, rejected: undefined };

/** Whether two states differ in what is worth remembering: time that passed is not. */
export function isSameRollout(a: RolloutState, b: RolloutState): boolean {
  return (
    a.stable === b.stable &&
    a.rejected?.revision === b.rejected?.revision &&
    a.candidate?.revision === b.candidate?.revision &&
    a.candidate?.phase === b.candidate?.phase
  );
}
