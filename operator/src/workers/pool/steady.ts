import type { AsrModel, RolloutDecision, ScalingDecision } from '@svc-asr/core';
import type { PoolLoad } from '@svc-asr/ledger';
import type { RunningWorker } from '../runtime.ts';
import type { PoolView } from './observe.ts';
import { readyWorkers } from './observe.ts';
import type { Plan } from './plan.ts';

/** A pool after a full reconcile. */
export interface PoolSnapshot {
  /** Undefined if the model was deleted. */
  model: AsrModel | undefined;
  view: PoolView;
  running: readonly RunningWorker[];
  scaling: ScalingDecision;
  rollout: RolloutDecision | undefined;
  /** Undefined if the ledger could not be read. */
  plan: Plan | undefined;
}

/** Scaling reasons that do not change while the load and the model stay the same. */
const LASTING_REASONS: readonly string[] = ['Idle', 'ScalingLimited', 'External'];
const SETTLED_PHASES: readonly string[] = ['Steady', 'RolledBack'];

/**
 * Reports whether a pool is steady: no worker starts or stops, and no timer runs. It stays steady while its load, its
 * model and its workers do not change. Most pools are steady most of the time, and a steady pool rarely needs
 * a full reconcile.
 */
export function isSteady({ model, view, running, scaling, rollout, plan }: PoolSnapshot): boolean {
  const { desired, reasons, state } = scaling;
  const ready = new Set(readyWorkers(view).map(({ id }) => id));
  const allReady = running.every(({ id, stopping, pinned }) => !stopping && pinned !== true && ready.has(id));
  if (model === undefined || plan === undefined || rollout === undefined) return false;
  return (
    allReady &&
    ready.size === desired &&
    plan.drain.length === 0 &&
    plan.stop.length === 0 &&
    SETTLED_PHASES.includes(rollout.phase) &&
    state.peaks.length <= 1 &&
    state.starvedSinceMs === undefined &&
    reasons.every(({ reason }) => LASTING_REASONS.includes(reason)) &&
    !isIdleTimerRunning(model, view, desired)
  );
}

/** Reports whether the pool will shrink to its minimum if it stays without demand. */
function isIdleTimerRunning({ spec: { scaling, pools } }: AsrModel, { load }: PoolView, desired: number): boolean {
  if (scaling.mode === 'External') return false;
  const demand = load === undefined ? 1 : load.active + load.held + load.waiting + load.refused;
  const min = pools === undefined ? scaling.min : pools.reduce((sum, tier) => sum + tier.min, 0);
  return demand === 0 && desired > min;
}

/** Reports whether two reads of a pool's load are equal. */
export function isSameLoad(a: PoolLoad, b: PoolLoad): boolean {
  const fields = ['active', 'held', 'waiting', 'refused', 'slots', 'workers'] as const;
  return fields.every((field) => a[field] === b[field]);
}
