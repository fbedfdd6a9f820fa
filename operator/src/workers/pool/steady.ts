import type { AsrModel, RolloutDecision, ScalingDecision } from '@svc-asr/core';
import type { PoolLoad } from '@svc-asr/ledger';
import type { PoolView } from './observe.ts';
import { readyWorkers } from './observe.ts';
import type { Plan } from './plan.ts';
import type { RunningWorker } from '../runtime.ts';

/** What is known after a look at a pool. */
export interface PoolSnapshot {
  /** Undefined: it is deleted. */
  model: AsrModel | undefined;
  view: PoolView;
  running: readonly RunningWorker[];
  scaling: ScalingDecision;
  rollout: RolloutDecision | undefined;
  /** Undefined: the ledger could not be read. */
  plan: Plan | undefined;
}

/** Reasons that last for as long as load and resource stay as they are. */
const LASTING: readonly string[] = ['Idle', 'ScalingLimited', 'External'];
const SETTLED: readonly string[] = ['Steady', 'RolledBack'];

/**
 * Whether a pool stays as it is for as long as its load, its resource and its workers do: nobody comes or goes, and no
 * time is waited for. Such a pool need not be thought about, and most are most of the time.
 */
export function isSteady({ model, view, running, scaling, rollout, plan }: PoolSnapshot): boolean {
  const { desired, reasons, state } = scaling;
  const ready = new Set(readyWorkers(view).map(({ id }) => id));
  const settled = running.every(({ id, stopping, pinned }) => !stopping && pinned !== true && ready.has(id));
  if (model === undefined || plan === undefined || rollout === undefined) return false;
  return (
    settled &&
    ready.size === desired &&
    plan.drain.length === 0 &&
    plan.stop.length === 0 &&
    SETTLED.includes(rollout.phase) &&
    state.peaks.length <= 1 &&
    state.starvedSinceMs === undefined &&
    reasons.every(({ reason }) => LASTING.includes(reason)) &&
    !isIdling(model, view, desired)
  );
}

/** Without demand it goes to its minimum when its time is up. */
function isIdling({ spec: { scaling } }: AsrModel, { load }: PoolView, desired: number): boolean {
  if (scaling.mode === 'External') return false;
  const demand = load === undefined ? 1 : load.active + load.held + load.waiting;
  return demand === 0 && desired > scaling.min;
}

/** Whether two readings of a pool's load say the same of it. */
export function isSameLoad(a: PoolLoad, b: PoolLoad): boolean {
  const fields = ['active', 'held', 'waiting', 'slots', 'workers'] as const;
  return fields.every((field) => a[field] === b[field]);
}
