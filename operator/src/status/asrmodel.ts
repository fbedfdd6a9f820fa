import { API_GROUP } from '@svc-asr/core';
import type { AsrModelStatus } from '@svc-asr/core';
import type { PoolStatus } from '../workers/pool/status.ts';
import type { StatusNews } from './change.ts';
import { formatTime } from './conditions.ts';
import type { Finding } from './conditions.ts';

/** Maximum number of failing nodes in a status. */
const MAX_NODES = 20;
const MAX_TIERS = 16;
const MAX_PROBLEM_LENGTH = 1024;

/** Builds the status fields of an ASRModel from its pool. */
export function buildModelFields(
  pool: PoolStatus,
  before: AsrModelStatus,
  nowMs: number,
): StatusNews<'ASRModel'>['fields'] {
  const { model, host = model, running, ready, slots, slotsPerWorker, measuredSlots, revision, failingNodes } = pool;
  return {
    replicas: running,
    readyReplicas: ready,
    workers: `${ready}/${running}`,
    selector: `${API_GROUP}/model=${host}`,
    failingNodes: failingNodes.length === 0 ? undefined : failingNodes.slice(0, MAX_NODES),
    ...buildTiers(pool),
    canary: buildCanary(pool, before, nowMs),
    ...(slots !== undefined && { slots, sessions: `${slots.active}/${slots.total}` }),
    ...(slotsPerWorker !== undefined && { slotsPerWorker }),
    ...(measuredSlots.length > 0 && { measuredSlots }),
    ...(revision !== undefined && { revision }),
  };
}

/** Builds the fields about the tiers. If the pool has no tiers, the fields are removed. */
function buildTiers({ tiers }: PoolStatus): Pick<StatusNews<'ASRModel'>['fields'], 'pools' | 'tiers'> {
  const shown = tiers?.slice(0, MAX_TIERS);
  return {
    pools: shown?.map(({ startFailure, ...tier }) => {
      return { ...tier, ...(startFailure && { problem: startFailure.message.slice(0, MAX_PROBLEM_LENGTH) }) };
    }),
    tiers: shown?.map(({ name, ready, desired }) => `${name === '' ? '-' : name} ${ready}/${desired}`).join(', '),
  };
}

function buildCanary({ rollout }: PoolStatus, before: AsrModelStatus, nowMs: number): AsrModelStatus['canary'] {
  if (rollout?.phase !== 'Canary') return undefined;
  const { revision, percent } = rollout;
  const since = before.canary?.revision === revision ? before.canary.since : formatTime(nowMs);
  return { revision, percent, since };
}

/** Builds the conditions of an ASRModel from its pool. */
export function findModelConditions(pool: PoolStatus): Finding[] {
  return [
    findAvailable(pool),
    findProgressing(pool),
    findDegraded(pool),
    findArtifact(pool),
    findReason(pool, 'ScalingLimited', 'WithinLimits', 'the pool is within its limits'),
    findReason(pool, 'LoadUnknown', 'LoadKnown', 'the load is known'),
  ];
}

/**
 * Builds the condition Available. A pool that is scaled to zero is available as long as its workers can start, because
 * new sessions can wait for them.
 */
function findAvailable({ desired, ready, startFailure, host }: PoolStatus): Finding {
  const type = 'Available';
  const workers = host === undefined ? 'workers' : `workers of ${host}`;
  if (ready > 0) return { type, status: 'True', reason: 'WorkersReady', message: `${ready} ${workers} are ready` };
  if (startFailure !== undefined) return { type, status: 'False', ...startFailure };
  if (desired > 0) return { type, status: 'False', reason: 'Starting', message: 'no worker is ready yet' };
  return { type, status: 'True', reason: 'ScaledToZero', message: 'the next session starts a worker' };
}

function findProgressing({ desired, running, ready, rollout, pending }: PoolStatus): Finding {
  const type = 'Progressing';
  if (rollout !== undefined && rollout.phase !== 'Steady' && rollout.phase !== 'RolledBack') {
    return { type, status: 'True', reason: rollout.phase, message: rollout.message };
  }
  if (running === desired && ready === desired) {
    return { type, status: 'False', reason: 'Settled', message: 'the pool has its desired size' };
  }
  if (pending !== undefined) return { type, status: 'True', reason: 'Provisioning', message: pending.message };
  const message = `${desired} workers are desired, ${running} are running, ${ready} are ready`;
  return { type, status: 'True', reason: 'Scaling', message };
}

function findDegraded({ startFailure, rollout }: PoolStatus): Finding {
  const type = 'Degraded';
  if (startFailure !== undefined) return { type, status: 'True', ...startFailure };
  if (rollout?.phase === 'RolledBack') return { type, status: 'True', reason: 'RolledBack', message: rollout.message };
  return { type, status: 'False', reason: 'AsExpected', message: 'workers can start' };
}

/** Builds the condition ArtifactReady. A ready worker has loaded the files of its model. */
function findArtifact({ ready, startFailure }: PoolStatus): Finding {
  const type = 'ArtifactReady';
  if (startFailure?.reason.startsWith('Artifact') === true) return { type, status: 'False', ...startFailure };
  if (ready > 0) return { type, status: 'True', reason: 'Loaded', message: 'workers have loaded the artifact' };
  return { type, status: 'Unknown', reason: 'NotLoaded', message: 'no worker has loaded the artifact yet' };
}

function findReason({ reasons }: PoolStatus, type: string, otherwise: string, message: string): Finding {
  const found = reasons.find(({ reason }) => reason === type);
  if (found === undefined) return { type, status: 'False', reason: otherwise, message: message };
  return { type, status: 'True', reason: found.reason, message: found.message };
}
