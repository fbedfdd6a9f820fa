import { decideRollout, decideScaling, initialScaling } from '@svc-asr/core';
import type { AsrModel, RolloutDecision, RolloutState, ScalingDecision, ScalingState } from '@svc-asr/core';
import type { PoolGrowth } from '@svc-asr/ledger';
import type { RunningWorker, StartFailure } from '../runtime.ts';
import type { Revision } from '../template.ts';
import { readyWorkers } from './observe.ts';
import type { PoolView, RevisionObservations } from './observe.ts';
import { decideTierGrowth, decideTierSizes } from './tiers.ts';
import type { PoolTier } from './tiers.ts';

/** Decides how many workers a model and each of its tiers need. A deleted model needs none. */
export function decideSize(input: {
  model: AsrModel | undefined;
  /** Undefined if the pool has no tiers. */
  tiers?: readonly PoolTier[] | undefined;
  view: PoolView;
  running: readonly RunningWorker[];
  /** Set if workers cannot be started. */
  startFailure: StartFailure | undefined;
  state: ScalingState;
  /** Number of workers that the guests of the model need. */
  guestDemand?: number;
  nowMs: number;
}): ScalingDecision {
  const { model, tiers, view, running, startFailure, guestDemand = 0, nowMs } = input;
  if (model !== undefined && tiers !== undefined) return decideTierSizes({ ...input, model, tiers, guestDemand });
  // If the model had tiers before, its scaling state counts slots and not workers, so a new state is needed.
  const state = input.state.unit === 'slots' ? initialScaling(running.length, nowMs) : input.state;
  if (model === undefined) return { desired: 0, reasons: [], state: { ...state, desired: 0 } };
  const starting = startingWorkers(view, running).length;
  const arriving = startFailure === undefined ? starting : 0;
  const { scaling: spec, worker } = model.spec;
  const workers = readyWorkers(view);
  const decision = decideScaling({
    spec,
    fixedSlots: worker.slots,
    load: view.load,
    workers,
    starting,
    arriving,
    state,
    nowMs,
  });
  return raiseForGuests(decision, guestDemand);
}

/**
 * Raises the desired number of workers to the number that the guests of the model need. That number does not exceed the
 * limits of the model, because guests use the same limits.
 */
function raiseForGuests(decision: ScalingDecision, workers: number): ScalingDecision {
  if (workers <= decision.desired) return decision;
  return { ...decision, desired: workers, state: { ...decision.state, desired: workers } };
}

/** Decides which revisions of a model serve. `observations` is undefined if the ledger could not be read. */
export function decideRevision(input: {
  model: AsrModel;
  wanted: string;
  state: RolloutState;
  observations: RevisionObservations | undefined;
  /** False if a rollout that would replace workers must wait for rollouts of other models. */
  mayStart: boolean;
  nowMs: number;
}): RolloutDecision {
  const { model, wanted, state, observations, mayStart, nowMs } = input;
  return decideRollout({ state, spec: model.spec.rollout, wanted, observations, mayStart, nowMs });
}

/** Returns the stable revision while a rollout needs it. Otherwise, returns the only revision that serves. */
export function findServing(rollout: RolloutDecision | undefined, newest: Revision | undefined): string | undefined {
  return rollout?.stable ?? rollout?.revision ?? newest?.revision;
}

/**
 * Returns the revision whose start failures are reported: the newest revision, or the stable revision if the newest one
 * was rolled back.
 */
export function findReported(rollout: RolloutDecision | undefined, newest: Revision | undefined): string | undefined {
  return rollout?.phase === 'RolledBack' ? rollout.revision : newest?.revision;
}

/** Reports whether a rollout is in progress that still needs its stable revision. */
export function isReplacing({ phase, stable }: RolloutDecision): boolean {
  return stable !== undefined && ['Starting', 'Canary', 'Rolling'].includes(phase);
}

/**
 * Decides how far the pool of a model can grow. Its capacity is the number of sessions that it can serve at its maximum
 * size. The capacity is left out while the slots of a worker are unknown.
 */
export function decideGrowth(input: {
  model: AsrModel | undefined;
  /** Undefined if the pool has no tiers. */
  tiers?: readonly PoolTier[] | undefined;
  view: PoolView;
  running: readonly RunningWorker[];
  startFailure: StartFailure | undefined;
  slotsPerWorker: number | undefined;
}): PoolGrowth {
  const { model, tiers, view, running, startFailure, slotsPerWorker } = input;
  if (tiers !== undefined) return decideTierGrowth(tiers, view, running);
  const ready = readyWorkers(view);
  const missing = (model?.spec.scaling.max ?? 0) - ready.length;
  if (startFailure !== undefined || missing <= 0) return { canGrow: false };
  const slots = ready.reduce((sum, worker) => sum + worker.slots, 0);
  // Workers that measure their slots may offer fewer slots than `slotsPerWorker`. Further workers are then expected to
  // offer no more slots than the ready workers offer on average.
  const isLimited = model?.spec.worker.slots === 0 && ready.length > 0;
  const offered = isLimited ? slots / ready.length : Infinity;
  const starting = startingWorkers(view, running);
  const isProvisioning = starting.length > 0 && starting.every(({ pending }) => pending !== undefined);
  return {
    canGrow: true,
    ...(slotsPerWorker !== undefined && { capacity: slots + Math.floor(missing * Math.min(slotsPerWorker, offered)) }),
    ...(starting.length > 0 && { growth: isProvisioning ? 'provisioning' : 'starting' }),
  };
}

function startingWorkers({ everRegistered }: PoolView, running: readonly RunningWorker[]): RunningWorker[] {
  return running.filter(({ id, stopping }) => !stopping && !everRegistered.has(id));
}

/**
 * Returns the share of new sessions for each revision, in percent. Empty if there is no decision, as for a deleted
 * model.
 */
export function decideWeights(rollout: RolloutDecision | undefined): Map<string, number> {
  if (rollout === undefined) return new Map();
  const { revision, stable, percent } = rollout;
  if (stable === undefined) return new Map([[revision, 100]]);
  return new Map([
    [revision, percent],
    [stable, 100 - percent],
  ]);
}
