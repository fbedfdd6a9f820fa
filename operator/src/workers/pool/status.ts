import type { RolloutDecision, ScalingDecision } from '@svc-asr/core';
import type { PoolView } from './observe.ts';
import { readyWorkers } from './observe.ts';
import type { RunningWorker, StartFailure } from '../runtime.ts';

/** How a pool stands, as metrics and the model's status tell it. */
export interface PoolStatus {
  model: string;
  desired: number;
  /** Workers that there are, ready or not. */
  running: number;
  /** Workers that take sessions. */
  ready: number;
  /** Undefined: the ledger was not read yet. */
  slots: { total: number; active: number; reserved: number; waiting: number } | undefined;
  slotsPerWorker: number | undefined;
  /** The revision that most of it is, or is to be. */
  revision: string | undefined;
  rollout: Pick<RolloutDecision, 'phase' | 'revision' | 'stable' | 'percent' | 'message'> | undefined;
  /** Why it is not simply as large as the load asks for. */
  reasons: ScalingDecision['reasons'];
  /** Why no worker of what the model asks for can be started. */
  startFailure: StartFailure | undefined;
}

/** Describes a pool by what was last seen of it and decided about it. */
export function buildPoolStatus(
  model: string,
  parts: {
    running: readonly RunningWorker[];
    view: PoolView;
    scaling: ScalingDecision;
    rollout: RolloutDecision | undefined;
    startFailure: StartFailure | undefined;
  },
): PoolStatus {
  const { running, view, scaling, rollout, startFailure } = parts;
  const { load } = view;
  const ready = readyWorkers(view);
  return {
    model,
    desired: scaling.desired,
    running: running.length,
    ready: ready.length,
    slots: load && {
      total: ready.reduce((sum, { slots }) => sum + slots, 0),
      active: load.active,
      reserved: load.held,
      waiting: load.waiting,
    },
    slotsPerWorker: scaling.state.slotsPerWorker,
    revision: rollout?.stable ?? rollout?.revision,
    rollout,
    reasons: scaling.reasons,
    startFailure,
  };
}
