import { countsSince, NO_COUNTS } from './counts.ts';
import type { RevisionCounts } from './counts.ts';
import { findBreach } from './gate.ts';
import type { Breach, RolloutSpec } from './gate.ts';
import type { Candidate, RolloutState } from './state.ts';

/** Reason why workers of a revision fail at start. */
export interface ObservedFailure {
  readonly message: string;
  /** True if no worker of the revision can be created before an administrator changes the model or the cluster. */
  readonly isRefusal?: boolean;
}

/** A tier in which workers of a revision fail at start. */
export interface BlockedTier extends ObservedFailure {
  readonly tier: string;
}

/** Observed state of a revision. */
export interface RevisionObservation {
  /** Number of workers that run, whether or not they accept sessions yet. */
  readonly running: number;
  /** Number of workers that accept sessions. */
  readonly ready: number;
  /** Set if workers of the revision are known to fail at start. */
  readonly startFailure?: ObservedFailure | undefined;
  /** Set if workers fail at start in one tier. Workers of the other revision in that tier can then not be replaced. */
  readonly blocked?: BlockedTier | undefined;
  readonly counts: RevisionCounts;
}

export interface RolloutInput {
  readonly state: RolloutState;
  readonly spec: RolloutSpec;
  /** Revision that the model specifies. */
  readonly wanted: string;
  /** Observed state by revision. Undefined if it could not be observed. */
  readonly observations: ReadonlyMap<string, RevisionObservation> | undefined;
  /**
   * False if a new rollout must wait, because too many other models are being rolled out. A started rollout continues.
   */
  readonly mayStart?: boolean;
  readonly nowMs: number;
}

export type RolloutPhase = 'Steady' | 'Queued' | 'Starting' | 'Canary' | 'Rolling' | 'RolledBack';

export interface RolloutDecision {
  readonly phase: RolloutPhase;
  /**
   * Revision that the workers of the pool should have. In the phases Queued and RolledBack, it is the stable revision.
   */
  readonly revision: string;
  /** Revision that serves the sessions that `revision` does not serve yet. Undefined if none is needed. */
  readonly stable: string | undefined;
  /** Percentage of workers and of new sessions that `revision` gets. The remainder is for `stable`. */
  readonly percent: number;
  /** Description of the phase for users. */
  readonly message: string;
  readonly state: RolloutState;
}

const UNSEEN: RevisionObservation = { running: 0, ready: 0, counts: NO_COUNTS };

/**
 * Decides which revisions the workers of a pool have, and how many sessions each revision gets.
 *
 * | phase      | until                                    | new revision                  | stable revision              |
 * | ---------- | ---------------------------------------- | ----------------------------- | ---------------------------- |
 * | Steady     | the model specifies another revision     | all                           |                              |
 * | Queued     | it can be created, and mayStart is true  | none                          | all                          |
 * | Starting   | its first worker accepts sessions        | some workers, no sessions     | all, if it has workers       |
 * | Canary     | it was observed for windowSeconds        | canaryPercent                 | remainder                    |
 * | Rolling    | it was observed and stable has no worker | all, as its workers get ready | remainder, drained meanwhile |
 * | RolledBack | the model specifies another revision     | none                          | all                          |
 *
 * In the column "until", "it" is the new revision. A rollout is rolled back in three cases. In Canary or Rolling, the
 * new revision exceeds a limit that gate.ts checks. Its workers have been starting for startSeconds, and none of them
 * is ready. One of its tiers is blocked for startSeconds, in any phase. A failed observation changes no phase.
 */
export function decideRollout(input: RolloutInput): RolloutDecision {
  const { state, wanted } = input;
  const { stable, rejected } = state;
  if (stable === undefined || stable === wanted) return settle(wanted);
  if (rejected?.revision === wanted) return rollBack(stable, wanted, rejected);
  const isKnown = state.candidate?.revision === wanted;
  if (!isKnown && input.mayStart === false) {
    return enqueue(stable, wanted, 'waits until rollouts of other models have finished');
  }
  const known = isKnown ? state.candidate : startCandidate(wanted);
  const { observations } = input;
  if (observations === undefined) return continueRollout(input, stable, { ...known, observedAtMs: undefined }, true);

  const own = observations.get(wanted) ?? UNSEEN;
  const other = observations.get(stable) ?? UNSEEN;
  // This check precedes every step of the rollout. Otherwise workers of the stable revision would be drained to free
  // room for workers that cannot be created.
  if (own.startFailure?.isRefusal === true && own.running === 0) {
    return enqueue(stable, wanted, `cannot be created: ${own.startFailure.message}`);
  }
  const candidate = advance(known, own, other, input);
  if (candidate.before !== undefined) {
    const breach = findBreach(
      input.spec,
      countsSince(own.counts, candidate.before.candidate),
      countsSince(other.counts, candidate.before.stable),
    );
    if (breach !== undefined) return rollBack(stable, wanted, breach);
  }
  const lateness = findLateness(input, candidate, own);
  if (lateness !== undefined) return rollBack(stable, wanted, lateness);
  const watched = candidate.watchedMs >= input.spec.windowSeconds * 1000;
  if (candidate.phase === 'rolling' && other.running === 0 && own.ready > 0 && watched) return settle(wanted);
  // The stable revision keeps its share if it has workers, or if the new revision fails to start.
  const protects = other.running > 0 || own.startFailure !== undefined;
  return continueRollout(input, stable, candidate, protects);
}

function startCandidate(revision: string): Candidate {
  return { revision, phase: 'starting', startingMs: 0, watchedMs: 0, observedAtMs: undefined, before: undefined };
}

/** Returns the state of the candidate after one more observation. */
function advance(
  candidate: Candidate,
  own: RevisionObservation,
  other: RevisionObservation,
  { spec, nowMs }: RolloutInput,
): Candidate {
  const sinceMs = Math.max(0, nowMs - (candidate.observedAtMs ?? nowMs));
  const startingMs = (candidate.startingMs ?? 0) + sinceMs;
  const observed = { ...candidate, observedAtMs: nowMs, startingMs: own.blocked === undefined ? 0 : startingMs };
  if (candidate.phase === 'starting') {
    if (own.ready === 0) {
      const isStarting = own.running > 0 || own.startFailure !== undefined;
      return { ...observed, startingMs: isStarting ? startingMs : (candidate.startingMs ?? 0) };
    }
    const phase = spec.canaryPercent > 0 && spec.canaryPercent < 100 && other.running > 0 ? 'canary' : 'rolling';
    return { ...observed, phase, before: { candidate: own.counts, stable: other.counts } };
  }
  const watchedMs = candidate.watchedMs + (own.ready === 0 ? 0 : sinceMs);
  const phase = candidate.phase === 'canary' && watchedMs < spec.windowSeconds * 1000 ? 'canary' : 'rolling';
  return { ...observed, phase, watchedMs };
}

/** Returns a breach if the workers of a candidate, or of one of its tiers, have been starting for too long. */
function findLateness({ spec }: RolloutInput, candidate: Candidate, own: RevisionObservation): Breach | undefined {
  const { phase, startingMs = 0 } = candidate;
  const { blocked } = own;
  if (phase !== 'starting' && blocked === undefined) return undefined;
  if (spec.startSeconds === 0 || startingMs < spec.startSeconds * 1000) return undefined;
  const worker = phase === 'starting' || blocked === undefined ? 'no worker' : `no worker of tier ${blocked.tier}`;
  const failure = own.startFailure ?? blocked;
  const cause = failure === undefined ? '' : `: ${failure.message}`;
  return { reason: 'StartDeadline', message: `${worker} was ready within ${spec.startSeconds} s${cause}` };
}

/** Keeps the stable revision until the rollout may start. */
function enqueue(stable: string, wanted: string, reason: string): RolloutDecision {
  const state = { stable, candidate: undefined, rejected: undefined };
  const message = `revision ${wanted} ${reason}`;
  return { phase: 'Queued', revision: stable, stable: undefined, percent: 100, message, state };
}

function continueRollout(
  { spec, wanted }: RolloutInput,
  stable: string,
  candidate: Candidate,
  protects: boolean,
): RolloutDecision {
  const state = { stable, candidate, rejected: undefined };
  const common = { revision: wanted, stable: protects ? stable : undefined, state };
  const canary = spec.canaryPercent > 0 && protects ? spec.canaryPercent : 100;
  switch (candidate.phase) {
    case 'starting':
      return { ...common, phase: 'Starting', percent: canary, message: `revision ${wanted} is starting` };
    case 'canary': {
      const seconds = `${Math.round(candidate.watchedMs / 1000)} of ${spec.windowSeconds} s`;
      const message = `revision ${wanted} receives ${canary} % of new sessions and was observed for ${seconds}`;
      return { ...common, phase: 'Canary', percent: canary, message };
    }
    case 'rolling':
      return { ...common, phase: 'Rolling', percent: 100, message: `revision ${wanted} replaces ${stable}` };
  }
}

function settle(revision: string): RolloutDecision {
  const state = { stable: revision, candidate: undefined, rejected: undefined };
  return { phase: 'Steady', revision, stable: undefined, percent: 100, message: `revision ${revision}`, state };
}

function rollBack(stable: string, revision: string, { reason, message }: Breach): RolloutDecision {
  return {
    phase: 'RolledBack',
    revision: stable,
    stable: undefined,
    percent: 100,
    message: `revision ${revision} was rolled back: ${message}`,
    state: { stable, candidate: undefined, rejected: { revision, reason, message } },
  };
}
