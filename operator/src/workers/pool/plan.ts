import { chooseDrains } from '@svc-asr/core';
import type { WorkerRecord } from '@svc-asr/ledger';
import type { RunningWorker } from '../runtime.ts';

export interface PlanInput {
  /** Workers that are to take sessions. */
  desired: number;
  /** The revision that they are to be of. */
  revision: string;
  /** The one that carries on meanwhile, and the share of the pool that `revision` may have beside it. */
  stable?: { revision: string; percent: number } | undefined;
  /** Workers of `revision` are started all at once, since the others are to be gone soon. */
  hurried?: boolean;
  /** Nobody new comes: who has streams finishes them. */
  finishing?: boolean;
  /** Those that the runtime has. */
  running: readonly RunningWorker[];
  /** Those that are in the ledger, as just read; undefined: it could not be read. */
  registered: readonly WorkerRecord[] | undefined;
  /** By id: since when a worker has been missing from the ledger after it was there. */
  lostSinceMs: ReadonlyMap<string, number>;
  /** By id: when it was told to drain. */
  drainedAtMs: ReadonlyMap<string, number>;
  limits: { drainMs: number; lostMs: number; startMs: number };
  nowMs: number;
}

export interface Plan {
  /** Workers of `revision` that have to run, those that drain included. */
  ensure: number;
  /** The same of the one that carries on meanwhile. */
  ensureStable?: number;
  /** Get no new streams from now on. */
  drain: string[];
  /** End now, with what is wrong with them. */
  stop: { id: string; failure?: string }[];
}

/** How many workers a rollout has beyond what is desired, as a share of that; at least one. */
const SURGE = 0.1;

/** Decides what happens to each worker so that the pool has as many as are desired, of the revision that is wanted. */
export function planPool(input: PlanInput): Plan {
  const { desired, revision, running, registered, stable } = input;
  const staying = running.filter(({ stopping }) => !stopping);
  if (registered === undefined) return { ensure: unseen(staying, revision, desired), drain: [], stop: [] };

  const records = new Map(registered.map((record) => [record.id, record]));
  const draining = (id: string) => records.get(id)?.draining === true || input.drainedAtMs.has(id);
  const lost = (id: string) => input.lostSinceMs.has(id);
  // A worker that lost its lease and registered again takes streams again.
  const forgotten = (record: WorkerRecord) => !record.draining && input.drainedAtMs.has(record.id);
  // One that ends may have come up meanwhile: it gets no streams that would have to go elsewhere at once.
  const ending = new Set(running.filter(({ stopping }) => stopping).map(({ id }) => id));
  const cameUp = ({ id, draining: leaves }: WorkerRecord) => !leaves && ending.has(id);
  const foreign = registered.filter(({ id, draining: leaves }) => !leaves && running.every((one) => one.id !== id));
  const own = Math.max(0, desired - foreign.length);

  const useful = staying.filter(({ id }) => !draining(id) && !lost(id));
  const newest = useful.filter((worker) => worker.revision === revision);
  const before = useful.filter((worker) => worker.revision === stable?.revision);
  const outdated = useful.filter((worker) => !newest.includes(worker) && !before.includes(worker));
  const up = (workers: readonly RunningWorker[]) => workers.filter(({ id }) => records.has(id)).length;
  const shares = share(input, own, up(newest));
  // An old one goes for each that is up: a rollout needs the room of a few workers.
  const alone = stable === undefined && outdated.length === 0;
  const surge = input.hurried === true ? own : Math.max(1, Math.ceil(own * SURGE));
  const wanted = alone ? shares.newest : Math.min(shares.newest, up(newest) + surge);
  const excess = [
    ...choose(outdated, Math.max(0, own - up(newest) - up(before)), records, false),
    ...choose(before, shares.stable, records, false),
    ...choose(newest, shares.newest, records, true),
  ].filter((id) => input.finishing !== true || (records.get(id)?.active ?? 0) === 0);
  const stop = [
    // What is not in the ledger has no streams and needs no draining.
    ...excess.filter((id) => !records.has(id)).map((id) => ({ id })),
    ...staying.flatMap((worker) => findEnd(worker, records.get(worker.id), input)),
  ];
  // Who ends now is no longer one of those beside the wanted ones: else another would be started in its place.
  const ends = new Set(stop.map(({ id }) => id));
  const besides = (of: string) =>
    staying.filter(({ id, revision: is }) => is === of && (draining(id) || lost(id)) && !ends.has(id)).length;
  return {
    ensure: wanted + besides(revision),
    ...(stable !== undefined && { ensureStable: shares.stable + besides(stable.revision) }),
    drain: [
      ...excess.filter((id) => records.has(id)),
      ...registered.filter((record) => forgotten(record) || cameUp(record)).map(({ id }) => id),
    ],
    stop,
  };
}

/** How many workers of each revision are to be there, given how many of the new one take sessions. */
function share({ stable }: PlanInput, own: number, ready: number): { newest: number; stable: number } {
  if (stable === undefined) return { newest: own, stable: 0 };
  const newest = Math.min(own, Math.ceil((own * stable.percent) / 100));
  // A canary is never alone.
  const least = own > 0 && stable.percent < 100 ? 1 : 0;
  return { newest, stable: Math.max(least, own - Math.min(ready, newest)) };
}

/** Without the ledger nobody is sent away; who died is replaced all the same. */
function unseen(staying: readonly RunningWorker[], revision: string, desired: number): number {
  return Math.max(0, desired - staying.filter((worker) => worker.revision !== revision).length);
}

/** Chooses who goes so that this many stay. */
function choose(
  workers: readonly RunningWorker[],
  stay: number,
  records: ReadonlyMap<string, WorkerRecord>,
  wanted: boolean,
): string[] {
  // Of a revision that nobody wants any more all go, whatever else happens to them.
  const free = workers.filter(({ pinned }) => pinned !== true || (!wanted && stay === 0));
  // Who is to replace another and is not up yet is no reason for that one to go.
  const counted = workers.filter((worker) => free.includes(worker) || records.has(worker.id));
  const candidates = free.map(({ id }) => ({ id, active: records.get(id)?.active ?? 0, ready: records.has(id) }));
  return chooseDrains(candidates, counted.length - stay);
}

/** Whether a worker has to end now: done with draining, hung, or never up. */
function findEnd({ id, ageMs }: RunningWorker, record: WorkerRecord | undefined, input: PlanInput): Plan['stop'] {
  const { drainedAtMs, lostSinceMs, limits, nowMs } = input;
  const drainedAt = drainedAtMs.get(id);
  if (drainedAt !== undefined) {
    // `draining` in what was read proves that no stream came after it.
    const empty = record === undefined || (record.draining && record.active === 0);
    return empty || nowMs - drainedAt >= limits.drainMs ? [{ id }] : [];
  }
  if (record !== undefined) return [];
  const lostSince = lostSinceMs.get(id);
  if (lostSince !== undefined) {
    const failure = 'does not renew its lease: it hangs';
    return nowMs - lostSince >= limits.lostMs ? [{ id, failure }] : [];
  }
  const failure = `did not register within ${Math.round(limits.startMs / 1000)} s`;
  return ageMs >= limits.startMs ? [{ id, failure }] : [];
}
