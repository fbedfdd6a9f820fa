import { decideRollout, decideScaling } from '@svc-asr/core';
import type { AsrModel, RolloutDecision, RolloutState, ScalingDecision, ScalingState } from '@svc-asr/core';
import type { RunningWorker, StartFailure } from '../runtime.ts';
import { readyWorkers } from './observe.ts';
import type { PoolView, RevisionObservations } from './observe.ts';

/** Decides how many workers a model needs. A deleted model needs none. */
export function decideSize(input: {
  model: AsrModel | undefined;
  view: PoolView;
  running: readonly RunningWorker[];
  state: ScalingState;
  nowMs: number;
}): ScalingDecision {
  const { model, view, running, state, nowMs } = input;
  if (model === undefined) return { desired: 0, reasons: [], state: { ...state, desired: 0 } };
  const starting = running.filter(({ id, stopping }) => !stopping && !view.everRegistered.has(id)).length;
  const { scaling: spec, worker } = model.spec;
  const workers = readyWorkers(view);
  return decideScaling({ spec, fixedSlots: worker.slots, load: view.load, workers, starting, state, nowMs });
}

/** Decides which revisions of a model serve. Observations are undefined if the ledger could not be read. */
export function decideRevision(input: {
  model: AsrModel;
  wanted: string;
  state: RolloutState;
  observations: RevisionObservations | undefined;
  nowMs: number;
}): RolloutDecision {
  const { model, wanted, state, observations, nowMs } = input;
  return decideRollout({ state, spec: model.spec.rollout, wanted, observations, nowMs });
}

/**
 * Decides whether sessions may wait for further workers of a model. Also true while all workers are starting, because
 * their number of slots is unknown until they have registered.
 */
export function decideCanGrow(
  model: AsrModel | undefined,
  view: PoolView,
  startFailure: StartFailure | undefined,
): boolean {
  return model !== undefined && startFailure === undefined && readyWorkers(view).length < model.spec.scaling.max;
}

/** Returns the share of new sessions for each revision, in percent. Empty if the model was deleted. */
export function decideWeights(rollout: RolloutDecision | undefined): Map<string, number> {
  if (rollout === undefined) return new Map();
  const { revision, stable, percent } = rollout;
  if (stable === undefined) return new Map([[revision, 100]]);
  return new Map([
    [revision, percent],
    [stable, 100 - percent],
  ]);
}
