import { chooseDrains, findRolloutRoom } from '@svc-asr/core';
import type { RolloutRoom, RolloutSpec } from '@svc-asr/core';
import type { WorkerRecord } from '@svc-asr/ledger';
import type { RunningWorker, WorkerStop } from '../runtime.ts';
import { chooseReplaced, chooseSickStops } from './sick.ts';

export interface PlanInput {
  /** Number of workers that should accept sessions. */
  desired: number;
  /** Revision from which these workers are started. */
  revision: string;
  /** The stable revision during a rollout, and the percentage of the workers that `revision` should have. */
  stable?: { revision: string; percent: number } | undefined;
  /** Limits of a rollout. Undefined if the model was deleted or has become a guest. */
  rollout: Pick<RolloutSpec, 'maxSurge' | 'maxUnavailable'> | undefined;
  /**
   * True in a rollback. All workers of `revision` then start at the same time, even if `maxSurge` allows fewer. Has no
   * effect if the rollout allows no surge.
   */
  hurried?: boolean;
  /** True while workers of a deleted model may still finish their streams. */
  finishing?: boolean;
  /** True if a worker beyond the desired number is removed only when it has no streams. */
  idleOnly?: boolean;
  /** Workers that the runtime has. */
  running: readonly RunningWorker[];
  /** Workers that are registered in the ledger. Undefined if the ledger could not be read. */
  registered: readonly WorkerRecord[] | undefined;
  /**
   * For each worker that is missing from the ledger after it had registered: time at which the operator noticed this.
   */
  lostSinceMs: ReadonlyMap<string, number>;
  /** For each worker that drains: time at which it was asked to drain, or was first observed to drain. */
  drainedAtMs: ReadonlyMap<string, number>;
  /** For each sick worker: time at which the operator found that the worker is sick. */
  sickSinceMs: ReadonlyMap<string, number>;
  limits: {
    drainMs: number;
    lostMs: number;
    startMs: number;
    /** Time that a new worker may wait for a node. */
    provisionMs: number;
  };
  nowMs: number;
}

export interface Plan {
  /** Number of workers of `revision` that have to run, including those that drain or are being replaced. */
  ensure: number;
  /**
   * Number of workers of the stable revision that have to run. Undefined if there is no stable revision, or if the
   * ledger could not be read.
   */
  ensureStable?: number;
  /** Workers that have to drain, which means that they get no new streams. */
  drain: string[];
  /** Workers that have to stop now. */
  stop: WorkerStop[];
  /** Workers that fail although other workers of their revision work. Absent or empty if there are none. */
  sick?: string[];
}

/** Decides for each worker whether it stays, drains or stops, and how many workers of each revision have to run. */
export function planPool(input: PlanInput): Plan {
  const { desired, revision, running, registered, stable } = input;
  const staying = running.filter(({ stopping }) => !stopping);
  if (registered === undefined) return planWithoutLedger(staying, input);

  const records = new Map(registered.map((record) => [record.id, record]));
  const isDraining = (id: string) => records.get(id)?.draining === true || input.drainedAtMs.has(id);
  const isIdle = (id: string) => (records.get(id)?.active ?? 0) === 0;
  const isLost = (id: string) => input.lostSinceMs.has(id);
  const unmanaged = registered.filter(({ id, draining }) => !draining && running.every((one) => one.id !== id));
  const own = Math.max(0, desired - unmanaged.length);

  const isAlone = isOnlyRevision(input);
  const isNodeLeaving = ({ notice }: RunningWorker) => notice?.kind === 'removal';
  // During a rollout, cordons have no effect. The rollout already replaces workers.
  const isCordoned = ({ notice }: RunningWorker) => notice?.kind === 'cordon' && isAlone;
  const allSick = staying.flatMap((worker) =>
    isDraining(worker.id) ? [] : findSickness(worker, staying, records, input),
  );
  const replaced = chooseReplaced(allSick, staying, input);
  const isSick = ({ id }: RunningWorker) => replaced.some((one) => one.id === id);
  const serving = staying.filter((worker) => !isDraining(worker.id) && !isLost(worker.id) && !isSick(worker));
  const onLeavingNodes = serving.filter(isNodeLeaving);
  const cordoned = serving.filter(isCordoned);
  const useful = serving.filter((worker) => !isNodeLeaving(worker) && !isCordoned(worker));
  const newest = useful.filter((worker) => worker.revision === revision);
  const before = useful.filter((worker) => worker.revision === stable?.revision);
  const outdated = useful.filter((worker) => !newest.includes(worker) && !before.includes(worker));
  const isReady = ({ id }: RunningWorker) => records.has(id);
  const countReady = (workers: readonly RunningWorker[]) => workers.filter(isReady).length;
  const room = findRoom(input, own);
  const shares = shareWorkers(input, own, countReady(newest), room);
  // Every worker that has not ended occupies its hardware, even while it drains.
  const occupied = running.length + Math.max(0, shares.stable - before.length);
  const free = Math.max(0, own + room.surge - occupied);
  const wanted = isAlone ? shares.newest : Math.min(shares.newest, newest.length + free);
  const current = countReady(newest) + countReady(before);
  const [servingOutdated, idleOutdated] = partition(outdated, ({ id }) => records.has(id));
  const excess = [
    // A worker of another revision that has not registered is useless and occupies hardware that other workers need.
    ...idleOutdated.map(({ id }) => id),
    ...chooseExcess(servingOutdated, Math.max(0, own - room.unavailable - current), records, false),
    ...chooseExcess(before, shares.stable, records, false),
    ...chooseExcess(newest, shares.newest, records, true).filter((id) => input.idleOnly !== true || isIdle(id)),
    // Workers on cordoned nodes serve until other workers have replaced them.
    ...chooseExcess(cordoned, Math.max(0, own - countReady(useful)), records, true),
  ].filter((id) => input.finishing !== true || isIdle(id));
  const leaving = [...excess, ...onLeavingNodes.map(({ id }) => id)];
  const stop = [
    // A worker that is not registered has no streams and needs no draining.
    ...leaving.filter((id) => !records.has(id)).map((id) => ({ id })),
    ...staying.flatMap((worker) => (isSick(worker) ? [] : findStop(worker, staying, records, input))),
    ...chooseSickStops(
      {
        replaced,
        others: allSick.length - replaced.length,
        own,
        ready: useful.filter((worker) => isReady(worker) && !allSick.some(({ id }) => id === worker.id)),
      },
      input,
    ),
  ];
  // A worker that stops now must not be counted. Otherwise the runtime would start another one in its place.
  const stopped = new Set(stop.map(({ id }) => id));
  const countLeaving = (of: string) =>
    staying.filter((worker) => worker.revision === of && !useful.includes(worker) && !stopped.has(worker.id)).length;
  return {
    ensure: wanted + countLeaving(revision),
    ...(stable !== undefined && { ensureStable: shares.stable + countLeaving(stable.revision) }),
    drain: [...leaving.filter((id) => records.has(id)), ...findRepeatedDrains(registered, input)],
    stop,
    ...(allSick.length > 0 && { sick: allSick.map(({ id }) => id) }),
  };
}

/** Reports whether all workers of a pool or tier have the same revision, and no other revision is wanted. */
export function isOnlyRevision({
  stable,
  running,
  revision,
}: Pick<PlanInput, 'stable' | 'running' | 'revision'>): boolean {
  return stable === undefined && running.every((worker) => worker.revision === revision);
}

/**
 * Returns why a worker fails although other workers of its revision work. A replacement on another node may then work.
 * A worker that did not register in time counts as sick, like one that crashes.
 */
function findSickness(
  worker: RunningWorker,
  staying: readonly RunningWorker[],
  records: ReadonlyMap<string, WorkerRecord>,
  input: PlanInput,
): Required<WorkerStop>[] {
  const { id, sickness, revision } = worker;
  if (sickness !== undefined) return [{ id, failure: sickness }];
  const failure = describeLateStart(worker, records, input);
  const isWorking = staying.some((other) => other.revision === revision && records.get(other.id)?.draining === false);
  return failure !== undefined && isWorking ? [{ id, failure }] : [];
}

/** Returns a message if a worker did not register in time. Undefined if it registered once, was drained, or still has time. */
function describeLateStart(
  { id, ageMs }: RunningWorker,
  records: ReadonlyMap<string, WorkerRecord>,
  { lostSinceMs, drainedAtMs, limits: { startMs } }: PlanInput,
): string | undefined {
  if (records.has(id) || lostSinceMs.has(id) || drainedAtMs.has(id) || ageMs < startMs) return undefined;
  return `did not register within ${Math.round(startMs / 1000)} s`;
}

/**
 * Returns the registered workers that have to be drained again. Some lost their lease while draining and registered
 * again. Others registered only after they were asked to stop.
 */
function findRepeatedDrains(registered: readonly WorkerRecord[], { running, drainedAtMs }: PlanInput): string[] {
  const stopping = new Set(running.filter((worker) => worker.stopping).map(({ id }) => id));
  return registered
    .filter(({ id, draining }) => !draining && (drainedAtMs.has(id) || stopping.has(id)))
    .map(({ id }) => id);
}

function partition<T>(values: readonly T[], isFirst: (value: T) => boolean): [T[], T[]] {
  return [values.filter(isFirst), values.filter((value) => !isFirst(value))];
}

/** Returns by how many workers a pool may exceed or fall below the wanted number `own` during a rollout. */
function findRoom({ rollout, hurried }: PlanInput, own: number): RolloutRoom {
  const room = findRolloutRoom(rollout ?? { maxSurge: own, maxUnavailable: 0 }, own);
  return hurried === true && room.surge > 0 ? { ...room, surge: Math.max(room.surge, own) } : room;
}

/**
 * Returns the number of workers of each revision. `ready` is the number of workers of the new revision that accept
 * sessions.
 */
function shareWorkers(
  { stable }: PlanInput,
  own: number,
  ready: number,
  { surge, unavailable }: RolloutRoom,
): { newest: number; stable: number } {
  if (stable === undefined) return { newest: own, stable: 0 };
  const newest = Math.min(own, Math.ceil((own * stable.percent) / 100));
  // A canary never serves alone, unless the pool has only one worker and that worker must make room for the canary.
  const least = own > (surge === 0 ? 1 : 0) && stable.percent < 100 ? 1 : 0;
  return { newest, stable: Math.max(least, own - Math.min(ready + unavailable, newest)) };
}

/**
 * Plans while the ledger is unavailable. No worker is drained or stopped, but workers that have ended are replaced.
 * Workers that were sick before still count as sick, because only the ledger shows whether they have registered in the
 * meantime.
 */
function planWithoutLedger(
  staying: readonly RunningWorker[],
  { revision, desired, sickSinceMs }: Pick<PlanInput, 'revision' | 'desired' | 'sickSinceMs'>,
): Plan {
  const ensure = Math.max(0, desired - staying.filter((worker) => worker.revision !== revision).length);
  const isSick = ({ id, sickness }: RunningWorker) => sickness !== undefined || sickSinceMs.has(id);
  const sick = staying.filter(isSick).map(({ id }) => id);
  return { ensure, drain: [], stop: [], ...(sick.length > 0 && { sick }) };
}

/** Chooses the workers to remove, so that `stay` workers remain. */
function chooseExcess(
  workers: readonly RunningWorker[],
  stay: number,
  records: ReadonlyMap<string, WorkerRecord>,
  isWanted: boolean,
): string[] {
  // All workers of a revision that is not needed any more are removed, even those that Kubernetes is replacing.
  const free = workers.filter(({ pinned }) => pinned !== true || (!isWanted && stay === 0));
  // If Kubernetes replaces a worker, the new worker is not counted until it is ready. Otherwise another worker would be
  // removed because of the new one.
  const counted = workers.filter((worker) => free.includes(worker) || records.has(worker.id));
  const candidates = free.map(({ id }) => ({ id, active: records.get(id)?.active ?? 0, ready: records.has(id) }));
  return chooseDrains(candidates, counted.length - stay);
}

/**
 * Decides whether a worker has to stop now. A worker has to stop if it has drained, exceeds the drain timeout, hangs,
 * or did not register in time. If other workers of its revision work, a worker that did not register in time counts as
 * sick instead. It is then replaced before it stops.
 */
function findStop(
  worker: RunningWorker,
  staying: readonly RunningWorker[],
  records: ReadonlyMap<string, WorkerRecord>,
  input: PlanInput,
): WorkerStop[] {
  const { id } = worker;
  const record = records.get(id);
  const { drainedAtMs, lostSinceMs, limits, nowMs } = input;
  const drainedAt = drainedAtMs.get(id);
  if (drainedAt !== undefined) {
    // A record that is draining guarantees that no stream was placed on the worker after the record was read.
    const isEmpty = record === undefined || (record.draining && record.active === 0);
    return isEmpty || nowMs - drainedAt >= limits.drainMs ? [{ id }] : [];
  }
  if (record !== undefined) return [];
  const lostSince = lostSinceMs.get(id);
  if (lostSince !== undefined) {
    const failure = 'does not renew its lease and seems to hang';
    return nowMs - lostSince >= limits.lostMs ? [{ id, failure }] : [];
  }
  const failure = describeLateStart(worker, records, input);
  // Sick workers are stopped by `chooseSickStops`.
  return failure === undefined || findSickness(worker, staying, records, input).length > 0 ? [] : [{ id, failure }];
}
