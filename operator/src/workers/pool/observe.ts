import { NO_COUNTS } from '@svc-asr/core';
import type { RevisionCounts, RevisionObservation, ScalingLoad } from '@svc-asr/core';
import { LedgerUnavailable } from '@svc-asr/ledger';
import type { Ledger, PoolLoad, WorkerRecord } from '@svc-asr/ledger';
import type { WorkerRuntime } from '../runtime.ts';

export interface ObserveDependencies {
  pools: Pick<Ledger['pools'], 'load'>;
  workers: Pick<Ledger['workers'], 'list' | 'remove'>;
  revisions: Pick<Ledger['revisions'], 'counts'>;
  runtime: Pick<WorkerRuntime, 'list' | 'startFailure' | 'confirm'>;
  nowMs: () => number;
}

/** What is known of a pool, and what has been seen of each of its workers. */
export interface PoolView {
  load: ScalingLoad | undefined;
  /** The same as the ledger told it. */
  ledgerLoad: PoolLoad | undefined;
  /** The workers that are in the ledger, as last read. */
  registered: readonly WorkerRecord[];
  counts: ReadonlyMap<string, RevisionCounts>;
  everRegistered: Set<string>;
  /** Since when a worker that was in the ledger is missing from it. */
  lostSinceMs: Map<string, number>;
  drainedAtMs: Map<string, number>;
  /** Workers that ended and that the ledger may not know of yet. */
  ended: Set<string>;
}

const NOTHING_COUNTED: ReadonlyMap<string, RevisionCounts> = new Map();

/** The view of a pool that has not been looked at. */
export function createPoolView(): PoolView {
  return {
    load: undefined,
    ledgerLoad: undefined,
    registered: [],
    counts: new Map(),
    everRegistered: new Set(),
    lostSinceMs: new Map(),
    drainedAtMs: new Map(),
    ended: new Set(),
  };
}

/** Reads the ledger into the view; false when it does not answer. What is counted of revisions matters in a rollout only. */
export async function observePool(
  model: string,
  view: PoolView,
  isRolling: boolean,
  dependencies: ObserveDependencies,
): Promise<boolean> {
  const { pools, workers, revisions, nowMs } = dependencies;
  try {
    for (const id of view.ended) {
      await workers.remove(model, id);
      view.ended.delete(id);
    }
    const [told, records, counts] = await Promise.all([
      pools.load(model),
      workers.list(model),
      isRolling ? revisions.counts(model) : NOTHING_COUNTED,
    ]);
    const { active, held, waiting } = told;
    view.ledgerLoad = told;
    view.load = { active, held, waiting, readAtMs: nowMs() };
    view.registered = records.filter(({ id }) => !view.ended.has(id));
    view.counts = counts;
    trackWorkers(model, view, dependencies);
    return true;
  } catch (error) {
    if (error instanceof LedgerUnavailable) return false;
    throw error;
  }
}

/** Follows each worker from what was read: up, lost, draining. */
function trackWorkers(model: string, view: PoolView, { runtime, nowMs }: ObserveDependencies): void {
  const records = new Map(view.registered.map((record) => [record.id, record]));
  for (const { id } of runtime.list(model)) {
    const record = records.get(id);
    if (record !== undefined) {
      view.everRegistered.add(id);
      view.lostSinceMs.delete(id);
      runtime.confirm(id);
      if (record.draining && !view.drainedAtMs.has(id)) view.drainedAtMs.set(id, nowMs());
    } else if (view.everRegistered.has(id) && !view.lostSinceMs.has(id)) {
      view.lostSinceMs.set(id, nowMs());
    }
  }
}

/** A worker runs no more. */
export function forgetWorker(view: PoolView, id: string): void {
  view.ended.add(id);
  view.registered = view.registered.filter((record) => record.id !== id);
  for (const memo of [view.everRegistered, view.lostSinceMs, view.drainedAtMs]) memo.delete(id);
}

/** The workers that take sessions. */
export function readyWorkers({ registered }: PoolView): WorkerRecord[] {
  return registered.filter(({ draining }) => !draining);
}

/** What a rollout has to know of each revision that has workers, or is to have some. */
export function observeRevisions(
  model: string,
  wanted: string,
  view: PoolView,
  { runtime }: Pick<ObserveDependencies, 'runtime'>,
): Map<string, RevisionObservation> {
  const running = runtime.list(model).filter(({ stopping }) => !stopping);
  const ready = new Set(readyWorkers(view).map(({ id }) => id));
  const names = new Set([wanted, ...running.map(({ revision }) => revision), ...view.counts.keys()]);
  return new Map(
    [...names].map((revision) => {
      const ofIt = running.filter((worker) => worker.revision === revision);
      const observation = {
        running: ofIt.length,
        ready: ofIt.filter(({ id }) => ready.has(id)).length,
        failsToStart: runtime.startFailure({ model, revision }) !== undefined,
        counts: view.counts.get(revision) ?? NO_COUNTS,
      };
      return [revision, observation];
    }),
  );
}
