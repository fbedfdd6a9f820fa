import { countsSince, NO_COUNTS } from './counts.ts';
import type { RevisionCounts } from './counts.ts';
import { findBreach } from './gate.ts';
import type { Breach, RolloutSpec } from './gate.ts';
import type { Candidate, RolloutState } from './state.ts';

/** What is known of a revision's workers. */
export interface RevisionObservation {
  /** Workers that run, whether or not they take sessions yet. */
  readonly running: number;
  /** Workers that take sessions. */
  readonly ready: number;
  /** Workers of it are known not to start. */
  readonly troubled: boolean;
  readonly counts: RevisionCounts;
}

export interface RolloutInput {
  readonly state: RolloutState;
  readonly spec: RolloutSpec;
  /** The revision that the model asks for. */
  readonly wanted: string;
  /** By revision; undefined: it could not be looked. */
  readonly observations: ReadonlyMap<string, RevisionObservation> | undefined;
  readonly nowMs: number;
}

export type RolloutPhase = 'Steady' | 'Starting' | 'Canary' | 'Rolling' | 'RolledBack';

export interface RolloutDecision {
  readonly phase: RolloutPhase;
  /** The revision that the pool is to consist of, in the end. */
  readonly revision: string;
  /** The one that carries what `revision` does not yet; undefined: nobody has to. */
  readonly stable: string | undefined;
  /** The share of the pool, and of new sessions, that `revision` may have; the rest is for `stable`. */
  readonly percent: number;
  /** For people. */
  readonly message: string;
  readonly state: RolloutState;
}

const UNSEEN: RevisionObservation = { running: 0, ready: 0, troubled: false, counts: NO_COUNTS };

/**
 * Decides which revision of a model a pool is to consist of.
 *
 * | phase      | until                                    | new revision              | revision before it                  |
 * |------------|------------------------------------------|---------------------------|-------------------------------------|
 * | Steady     | the model asks for another revision      | all                       |                                     |
 * | Starting   | the first of its workers takes sessions  | some, without sessions    | all; where it has none, none        |
 * | Canary     | it was watched for windowSeconds         | canaryPercent             | the rest                            |
 * | Rolling    | the other has no worker and it was watched | all, as its workers come up | the rest, drained for each that is up |
 * | RolledBack | the model asks for another revision      | none                      | all                                 |
 *
 * From Canary and Rolling a breach of the gate leads to RolledBack. What cannot be seen changes nothing.
 */
export function decideRollout(input: RolloutInput): RolloutDecision {
  const { state, wanted } = input;
  const { stable, rejected } = state;
  if (stable === undefined || stable === wanted) return settle(wanted);
  if (rejected?.revision === wanted) return rollBack(stable, wanted, rejected);
  const known = state.candidate?.revision === wanted ? state.candidate : begin(wanted);
  const { observations } = input;
  if (observations === undefined) return goOn(input, stable, { ...known, lookedAtMs: undefined }, true);

  const own = observations.get(wanted) ?? UNSEEN;
  const other = observations.get(stable) ?? UNSEEN;
  const candidate = advance(known, own, other, input);
  if (candidate.before !== undefined) {
    const breach = findBreach(
      input.spec,
      countsSince(own.counts, candidate.before.candidate),
      countsSince(other.counts, candidate.before.stable),
    );
    if (breach !== undefined) return rollBack(stable, wanted, breach);
  }
  const watched = candidate.watchedMs >= input.spec.windowSeconds * 1000;
  if (candidate.phase === 'rolling' && other.running === 0 && own.ready > 0 && watched) return settle(wanted);
  // Where the revision before has no workers there is nothing to protect, unless the new one does not start.
  const protects = other.running > 0 || own.troubled;
  return goOn(input, stable, candidate, protects);
}

function begin(revision: string): Candidate {
  return { revision, phase: 'starting', watchedMs: 0, lookedAtMs: undefined, before: undefined };
}

/** The candidate one look later. */
function advance(
  candidate: Candidate,
  own: RevisionObservation,
  other: RevisionObservation,
  { spec, nowMs }: RolloutInput,
): Candidate {
  const looked = { ...candidate, lookedAtMs: nowMs };
  if (candidate.phase === 'starting') {
    if (own.ready === 0) return looked;
    const phase = spec.canaryPercent > 0 && spec.canaryPercent < 100 && other.running > 0 ? 'canary' : 'rolling';
    return { ...looked, phase, before: { candidate: own.counts, stable: other.counts } };
  }
  const passedMs = candidate.lookedAtMs === undefined || own.ready === 0 ? 0 : nowMs - candidate.lookedAtMs;
  const watchedMs = candidate.watchedMs + Math.max(0, passedMs);
  const phase = candidate.phase === 'canary' && watchedMs < spec.windowSeconds * 1000 ? 'canary' : 'rolling';
  return { ...looked, phase, watchedMs };
}

function goOn(
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
      return { ...common, phase: 'Starting', percent: canary, message: `revision ${wanted} is being started` };
    case 'canary': {
      const seconds = `${Math.round(candidate.watchedMs / 1000)} of ${spec.windowSeconds} s`;
      const message = `revision ${wanted} gets ${canary} % of new sessions and was watched for ${seconds}`;
      return { ...common, phase: 'Canary', percent: canary, message };
    }
    case 'rolling':
      return { ...common, phase: 'Rolling', percent: 100, message: `revision ${wanted} takes the place of ${stable}` };
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
    message: `revision ${revision} was taken back: ${message}`,
    state: { stable, candidate: undefined, rejected: { revision, reason, message } },
  };
}
