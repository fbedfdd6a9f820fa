import { NO_COUNTS } from '@svc-asr/core';
import type { BlockedTier, RevisionCounts, RevisionObservation, ScalingLoad } from '@svc-asr/core';
import { LedgerUnavailable } from '@svc-asr/ledger';
import type { Ledger, PoolLoad, WorkerRecord } from '@svc-asr/ledger';
import type { RunningWorker, WorkerRuntime } from '../runtime.ts';

export interface ObserveDependencies {
  pools: Pick<Ledger['pools'], 'load'>;
  workers: Pick<Ledger['workers'], 'list' | 'remove'>;
  revisions: Pick<Ledger['revisions'], 'counts'>;
  runtime: Pick<WorkerRuntime, 'list' | 'tiers' | 'startFailure' | 'confirm'>;
  nowMs: () => number;
}

/** Observed state of a pool: its load and the history of each of its workers. */
export interface PoolView {
  /** Load at the last successful read. Undefined before the first one. */
  load: ScalingLoad | undefined;
  /** The same load, in the format of the ledger. */
  ledgerLoad: PoolLoad | undefined;
  /** Workers that were registered in the ledger when it was last read successfully. */
  registered: readonly WorkerRecord[];
  counts: ReadonlyMap<string, RevisionCounts>;
  /** Workers that have registered at least once. */
  everRegistered: Set<string>;
  /**
   * For each worker that is missing from the ledger after it had registered: time at which the operator noticed this.
   */
  lostSinceMs: Map<string, number>;
  /** For each worker that drains: time at which it was asked to drain, or was first observed to drain. */
  drainedAtMs: Map<string, number>;
  /** For each sick worker: time at which the operator found that the worker is sick. */
  sickSinceMs: Map<string, number>;
  /** Workers that have ended and still have to be removed from the ledger. */
  ended: Set<string>;
}

/** Observations by revision. */
export type RevisionObservations = ReadonlyMap<string, RevisionObservation>;

const NOTHING_COUNTED: ReadonlyMap<string, RevisionCounts> = new Map();

/** Creates the view of a pool that was not observed yet. */
export function createPoolView(): PoolView {
  return {
    load: undefined,
    ledgerLoad: undefined,
    registered: [],
    counts: new Map(),
    everRegistered: new Set(),
    lostSinceMs: new Map(),
    drainedAtMs: new Map(),
    sickSinceMs: new Map(),
    ended: new Set(),
  };
}

/**
 * Reads the ledger into the view. Resolves to false if the ledger is unavailable. The counts of the revisions are read
 * only if `isRolling` is true.
 */
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
    const [ledgerLoad, records, counts] = await Promise.all([
      pools.load(model),
      workers.list(model),
      isRolling ? revisions.counts(model) : NOTHING_COUNTED,
    ]);
    const { active, held, waiting, refused } = ledgerLoad;
    view.ledgerLoad = ledgerLoad;
    view.load = { active, held, waiting, refused, readAtMs: nowMs() };
    view.registered = records.filter(({ id }) => !view.ended.has(id));
    view.counts = counts;
    trackWorkers(model, view, dependencies);
    return true;
  } catch (error) {
    if (error instanceof LedgerUnavailable) return false;
    throw error;
  }
}

/** Updates the history of each running worker: registered, lost or draining. */
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

/** Records since when workers have been sick. A worker that crashes repeatedly stays sick between two crashes. */
export function trackSick({ sickSinceMs }: PoolView, sick: readonly string[] = [], nowMs: number): void {
  for (const id of sickSinceMs.keys()) if (!sick.includes(id)) sickSinceMs.delete(id);
  for (const id of sick) if (!sickSinceMs.has(id)) sickSinceMs.set(id, nowMs);
}

/** Removes a worker that has ended from the view. The next observation removes it from the ledger. */
export function forgetWorker(view: PoolView, id: string): void {
  view.ended.add(id);
  view.registered = view.registered.filter((record) => record.id !== id);
  for (const history of [view.everRegistered, view.lostSinceMs, view.drainedAtMs]) history.delete(id);
}

/** Returns the workers that accept sessions. */
export function readyWorkers({ registered }: PoolView): WorkerRecord[] {
  return registered.filter(({ draining }) => !draining);
}

/**
 * Returns the observations that a rollout needs, for the wanted revision and for each revision that has workers or
 * counts.
 */
export function observeRevisions(
  model: string,
  wanted: string,
  view: PoolView,
  { runtime }: Pick<ObserveDependencies, 'runtime'>,
): RevisionObservations {
  const running = runtime.list(model).filter(({ stopping }) => !stopping);
  const ready = new Set(readyWorkers(view).map(({ id }) => id));
  const serving = running.filter(({ id }) => ready.has(id));
  const names = new Set([wanted, ...running.map(({ revision }) => revision), ...view.counts.keys()]);
  return new Map(
    [...names].map((revision) => {
      const ownWorkers = running.filter((worker) => worker.revision === revision);
      const observation = {
        running: ownWorkers.length,
        ready: ownWorkers.filter(({ id }) => ready.has(id)).length,
        startFailure: runtime.startFailure({ model, revision }),
        blocked: findBlocked(model, revision, serving, runtime),
        counts: view.counts.get(revision) ?? NO_COUNTS,
      };
      return [revision, observation];
    }),
  );
}

/**
 * Returns a tier in which a revision fails to start and has no ready worker, although it has to replace workers of
 * other revisions. These workers are in the same tier, or in a tier that the revision does not have. Undefined if there
 * is no such tier.
 */
function findBlocked(
  model: string,
  revision: string,
  serving: readonly RunningWorker[],
  runtime: ObserveDependencies['runtime'],
): BlockedTier | undefined {
  const others = serving.filter((worker) => worker.revision !== revision);
  if (others.length === 0) return undefined;
  const names = runtime.tiers?.({ model, revision }) ?? [];
  const failures = names.map((tier): BlockedTier | undefined => {
    if (serving.some((worker) => worker.revision === revision && worker.tier === tier)) return undefined;
    if (!others.some((worker) => worker.tier === tier || !names.includes(worker.tier ?? ''))) return undefined;
    const failure = runtime.startFailure({ model, revision, tier });
    return failure && { ...failure, tier };
  });
  return failures.find((failure) => failure !== undefined);
}
