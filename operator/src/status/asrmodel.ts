import { API_GROUP } from '@svc-asr/core';
import type { AsrModelStatus } from '@svc-asr/core';
import type { PoolStatus } from '../workers/pool/status.ts';
import type { StatusNews } from './change.ts';
import { formatTime } from './conditions.ts';
import type { Finding } from './conditions.ts';

/** What the pool tells of its ASRModel. */
export function buildModelFields(
  pool: PoolStatus,
  before: AsrModelStatus,
  nowMs: number,
): StatusNews<'ASRModel'>['fields'] {
  const { model, running, ready, slots, slotsPerWorker, revision } = pool;
  return {
    replicas: running,
    readyReplicas: ready,
    workers: `${ready}/${running}`,
    selector: `${API_GROUP}/model=${model}`,
    canary: buildCanary(pool, before, nowMs),
    ...(slots !== undefined && { slots, sessions: `${slots.active}/${slots.total}` }),
    ...(slotsPerWorker !== undefined && { slotsPerWorker }),
    ...(revision !== undefined && { revision }),
  };
}

function buildCanary({ rollout }: PoolStatus, before: AsrModelStatus, nowMs: number): AsrModelStatus['canary'] {
  if (rollout?.phase !== 'Canary') return undefined;
  const { revision, percent } = rollout;
  const since = before.canary?.revision === revision ? before.canary.since : formatTime(nowMs);
  return { revision, percent, since };
}

/** The conditions of the pool. */
export function findModelConditions(pool: PoolStatus): Finding[] {
  return [
    findAvailable(pool),
    findProgressing(pool),
    findDegraded(pool),
    findArtifact(pool),
    findReason(pool, 'ScalingLimited', 'WithinLimits', 'the limits leave room for the load'),
    findReason(pool, 'LoadUnknown', 'LoadKnown', 'the load is known'),
  ];
}

/** A pool without workers takes sessions too, as long as it can start some: they wait for it. */
function findAvailable({ desired, ready, startFailure }: PoolStatus): Finding {
  const type = 'Available';
  if (ready > 0) return { type, status: 'True', reason: 'WorkersReady', message: `${ready} workers take sessions` };
  if (startFailure !== undefined) return { type, status: 'False', ...startFailure };
  if (desired > 0) return { type, status: 'False', reason: 'Starting', message: 'its workers are not up yet' };
  return { type, status: 'True', reason: 'ScaledToZero', message: 'a session that comes starts a worker' };
}

function findProgressing({ desired, running, ready, rollout }: PoolStatus): Finding {
  const type = 'Progressing';
  if (rollout !== undefined && rollout.phase !== 'Steady' && rollout.phase !== 'RolledBack') {
    return { type, status: 'True', reason: rollout.phase, message: rollout.message };
  }
  if (running === desired && ready === desired) {
    return { type, status: 'False', reason: 'Settled', message: 'there are as many workers as are wanted' };
  }
  const message = `${desired} workers are wanted, ${running} run, ${ready} take sessions`;
  return { type, status: 'True', reason: 'Scaling', message };
}

function findDegraded({ startFailure, rollout }: PoolStatus): Finding {
  const type = 'Degraded';
  if (startFailure !== undefined) return { type, status: 'True', ...startFailure };
  if (rollout?.phase === 'RolledBack') return { type, status: 'True', reason: 'RolledBack', message: rollout.message };
  return { type, status: 'False', reason: 'AsExpected', message: 'workers can be started' };
}

/** Workers that take sessions have their model's files. */
function findArtifact({ ready, startFailure }: PoolStatus): Finding {
  const type = 'ArtifactReady';
  if (startFailure?.reason.startsWith('Artifact') === true) return { type, status: 'False', ...startFailure };
  if (ready > 0) return { type, status: 'True', reason: 'Loaded', message: 'workers have loaded it' };
  return { type, status: 'Unknown', reason: 'NotLoaded', message: 'no worker has loaded it yet' };
}

function findReason({ reasons }: PoolStatus, type: string, otherwise: string, words: string): Finding {
  const found = reasons.find(({ reason }) => reason === type);
  if (found === undefined) return { type, status: 'False', reason: otherwise, message: words };
  return { type, status: 'True', reason: found.reason, message: found.message };
}
