import { chooseDrains } from '@svc-asr/core';
import type { WorkerRecord } from '@svc-asr/ledger';
import type { RunningWorker } from './runtime.ts';

export interface PlanInput {
  /** Workers that are to take sessions. */
  desired: number;
  revision: string;
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
  /** Workers of the newest revision that have to run, those that drain included. */
  ensure: number;
  /** Get no new streams from now on. */
  drain: string[];
  /** End now, with what is wrong with them. */
  stop: { id: string; failure?: string }[];
}

/** Decides what happens to each worker so that the pool has as many as are desired, all of the newest revision. */
export function planPool(input: PlanInput): Plan {
  const { desired, revision, running, registered } = input;
  const staying = running.filter(({ stopping }) => !stopping);
  if (registered === undefined) return { ensure: unseen(staying, revision, desired), drain: [], stop: [] };

  const records = new Map(registered.map((record) => [record.id, record]));
  const draining = (id: string) => records.get(id)?.draining === true || input.drainedAtMs.has(id);
  const lost = (id: string) => input.lostSinceMs.has(id);
  // A worker that lost its lease and registered again takes streams again.
  const forgotten = (record: WorkerRecord) => !record.draining && input.drainedAtMs.has(record.id);
  const foreign = registered.filter(({ id, draining: leaves }) => !leaves && running.every((one) => one.id !== id));
  const own = Math.max(0, desired - foreign.length);

  const useful = staying.filter(({ id }) => !draining(id) && !lost(id));
  const newest = useful.filter((worker) => worker.revision === revision);
  const outdated = useful.filter((worker) => worker.revision !== revision);
  const ready = newest.filter(({ id }) => records.has(id)).length;
  // One more than there was, and an old one goes for each that is up: a rollout needs the room of one worker.
  const wanted = outdated.length === 0 ? own : Math.min(own, ready + 1);
  const excess = [
    ...choose(outdated, outdated.length - Math.max(0, own - ready), records),
    ...choose(newest, newest.length - own, records),
  ];
  const besides = staying.filter((worker) => worker.revision === revision && (draining(worker.id) || lost(worker.id)));
  return {
    ensure: wanted + besides.length,
    drain: [...excess.filter((id) => records.has(id)), ...registered.filter(forgotten).map(({ id }) => id)],
    stop: [
      // What is not in the ledger has no streams and needs no draining.
      ...excess.filter((id) => !records.has(id)).map((id) => ({ id })),
      ...staying.flatMap((worker) => findEnd(worker, records.get(worker.id), input)),
    ],
  };
}

/** Without the ledger nobody is sent away; who died is replaced all the same. */
function unseen(staying: readonly RunningWorker[], revision: string, desired: number): number {
  return Math.max(0, desired - staying.filter((worker) => worker.revision !== revision).length);
}

function choose(
  workers: readonly RunningWorker[],
  count: number,
  records: ReadonlyMap<string, WorkerRecord>,
): string[] {
  const candidates = workers.map(({ id }) => ({ id, active: records.get(id)?.active ?? 0, ready: records.has(id) }));
  return chooseDrains(candidates, count);
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
