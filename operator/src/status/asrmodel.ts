import { API_GROUP } from '@svc-asr/core';
import type { AsrModelStatus } from '@svc-asr/core';
import type { PoolStanding } from '../workers/pool/status.ts';
import type { StatusNews } from './change.ts';
import { formatTime } from './conditions.ts';
import type { Finding } from './conditions.ts';

/** What the pool tells of its ASRModel. */
export function buildModelFields(
  standing: PoolStanding,
  before: AsrModelStatus,
  nowMs: number,
): StatusNews<'ASRModel'>['fields'] {
  const { model, running, ready, slots, slotsPerWorker, revision } = standing;
  return {
    replicas: running,
    readyReplicas: ready,
    workers: `${ready}/${running}`,
    selector: `${API_GROUP}/model=${model}`,
    canary: buildCanary(standing, before, nowMs),
    ...(slots !== undefined && { slots, sessions: `${slots.active}/${slots.total}` }),
    ...(slotsPerWorker !== undefined && { slotsPerWorker }),
    ...(revision !== undefined && { revision }),
  };
}

function buildCanary({ rollout }: PoolStanding, before: AsrModelStatus, nowMs: number): AsrModelStatus['canary'] {
  if (rollout?.phase !== 'Canary') return undefined;
  const { revision, percent } = rollout;
  const since = before.canary?.revision === revision ? before.canary.since : formatTime(nowMs);
  return { revision, percent, since };
}

/** The conditions of the pool. */
export function findModelConditions(standing: PoolStanding): Finding[] {
  return [
    findAvailable(standing),
    findProgressing(standing),
    findDegraded(standing),
    findArtifact(standing),
    findReason(standing, 'ScalingLimited', 'WithinLimits', 'the limits leave room for the load'),
    findReason(standing, 'LoadUnknown', 'LoadKnown', 'the load is known'),
  ];
}

/** A pool without workers takes sessions too, as long as it can start some: they wait for it. */
function findAvailable({ desired, ready, trouble }: PoolStanding): Finding {
  const type = 'Available';
  if (ready > 0) return { type, status: 'True', reason: 'WorkersReady', message: `${ready} workers take sessions` };
  if (trouble !== undefined) return { type, status: 'False', ...trouble };
  if (desired > 0) return { type, status: 'False', reason: 'Starting', message: 'its workers are not up yet' };
  return { type, status: 'True', reason: 'ScaledToZero', message: 'a session that comes starts a worker' };
}

function findProgressing({ desired, running, ready, rollout }: PoolStanding): Finding {
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

function findDegraded({ trouble, rollout }: PoolStanding): Finding {
  const type = 'Degraded';
  if (trouble !== undefined) return { type, status: 'True', ...trouble };
  if (rollout?.phase === 'RolledBack') return { type, status: 'True', reason: 'RolledBack', message: rollout.message };
  return { type, status: 'False', reason: 'AsExpected', message: 'workers can be started' };
}

/** Workers that take sessions have their model's files. */
function findArtifact({ ready, trouble }: PoolStanding): Finding {
  const type = 'ArtifactReady';
  if (trouble?.reason.startsWith('Artifact') === true) return { type, status: 'False', ...trouble };
  if (ready > 0) return { type, status: 'True', reason: 'Loaded', message: 'workers have loaded it' };
  return { type, status: 'Unknown', reason: 'NotLoaded', message: 'no worker has loaded it yet' };
}

function findReason({ reasons }: PoolStanding, type: string, otherwise: string, words: string): Finding {
  const found = reasons.find(({ reason }) => reason === type);
  if (found === undefined) return { type, status: 'False', reason: otherwise, message: words };
  return { type, status: 'True', reason: found.reason, message: found.message };
}
