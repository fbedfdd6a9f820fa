import type { RolloutDecision, ScalingDecision } from '@svc-asr/core';
import type { RunningWorker, StartFailure } from '../runtime.ts';
import type { PoolView } from './observe.ts';
import { readyWorkers } from './observe.ts';
import type { PoolTier } from './tiers.ts';
import type { Measurements } from './slots-memory.ts';

/** Status of a pool, as the metrics and the status of the ASRModel show it. */
export interface PoolStatus {
  model: string;
  /** Model whose workers serve this model. Absent if this model is not a guest, or is a guest without a host. */
  host?: string | undefined;
  desired: number;
  /** Number of workers, whether or not they accept sessions. */
  running: number;
  /** Number of workers that accept sessions. */
  ready: number;
  /** Undefined before the ledger was read for the first time. */
  slots: { total: number; active: number; reserved: number; waiting: number } | undefined;
  slotsPerWorker: number | undefined;
  measuredSlots: Measurements;
  /**
   * Tiers of the pool, starting with the preferred one. Removed tiers that still have workers come last. Undefined if
   * the pool has no tiers.
   */
  tiers?: readonly TierStatus[] | undefined;
  /** The stable revision while a rollout needs it. Otherwise, the only revision. */
  revision: string | undefined;
  rollout: Pick<RolloutDecision, 'phase' | 'revision' | 'stable' | 'percent' | 'message'> | undefined;
  /** Reasons why the desired number of workers does not follow the load alone. */
  reasons: ScalingDecision['reasons'];
  /**
   * Set if no worker of the newest revision can be started. After a rollback, set if no worker of the stable revision
   * can be started.
   */
  startFailure: StartFailure | undefined;
  /** Reason why new workers cannot start yet, such as a missing node. Undefined if no worker waits. */
  pending: StartFailure | undefined;
  /** Nodes on which workers failed repeatedly while other workers worked. */
  failingNodes: readonly string[];
}

/** Status of a tier. */
export interface TierStatus {
  name: string;
  desired: number;
  running: number;
  ready: number;
  slots: number;
  /** Number of running streams, including those of draining workers. */
  used: number;
  startFailure: StartFailure | undefined;
}

/** Builds the status of a pool from its last observation and the last decisions. */
export function buildPoolStatus(
  model: string,
  parts: {
    running: readonly RunningWorker[];
    view: PoolView;
    scaling: ScalingDecision;
    rollout: RolloutDecision | undefined;
    measuredSlots: Measurements;
    tiers?: readonly PoolTier[] | undefined;
    startFailure: StartFailure | undefined;
    failingNodes: readonly string[];
  },
): PoolStatus {
  const { running, view, scaling, rollout, measuredSlots, tiers, startFailure, failingNodes } = parts;
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
    measuredSlots,
    ...(tiers && { tiers: tiers.map((tier) => buildTierStatus(tier, parts)) }),
    revision: rollout?.stable ?? rollout?.revision,
    rollout,
    reasons: scaling.reasons,
    startFailure,
    pending: running.find(({ pending, stopping }) => pending !== undefined && !stopping)?.pending,
    failingNodes,
  };
}

function buildTierStatus(
  { name, workers, startFailure }: PoolTier,
  { running, view, scaling }: { running: readonly RunningWorker[]; view: PoolView; scaling: ScalingDecision },
): TierStatus {
  const own = new Set(running.filter(({ tier = '' }) => tier === name).map(({ id }) => id));
  const used = view.registered.filter(({ id, tier = '' }) => own.has(id) || tier === name);
  return {
    name,
    desired: scaling.tiers?.get(name) ?? 0,
    running: own.size,
    ready: workers.length,
    slots: workers.reduce((sum, { slots }) => sum + slots, 0),
    used: used.reduce((sum, { active }) => sum + active, 0),
    startFailure,
  };
}
