import { beginScaling, decideScaling, MAX_AUDIO_SECONDS } from '@svc-asr/core';
import type { AsrModel, ScalingDecision, ScalingLoad } from '@svc-asr/core';
import { LedgerUnavailable } from '@svc-asr/ledger';
import type { Ledger, WorkerRecord } from '@svc-asr/ledger';
import { planPool } from './plan.ts';
import type { PoolReport } from './report.ts';
import type { WorkerRuntime, WorkerTemplate } from './runtime.ts';
import type { SlotsMemory } from './slots-memory.ts';
import { buildTemplate } from './template.ts';

export interface PoolDependencies {
  pools: Pick<Ledger['pools'], 'load' | 'configure' | 'remove'>;
  workers: Pick<Ledger['workers'], 'list' | 'drain' | 'remove'>;
  runtime: WorkerRuntime;
  memory: SlotsMemory;
  report: PoolReport;
  /** How long a worker may be missing from the ledger, and may take to get there. */
  limits: { lostMs: number; startMs: number };
  nowMs: () => number;
}

/** How a pool stands, as metrics tell it. */
export interface PoolStanding {
  model: string;
  desired: number;
  running: number;
  ready: number;
}

/** The workers of one model. */
export interface Pool {
  /** Takes over what the resource says; `undefined`: the model is deleted, and its workers go. */
  set: (model: AsrModel | undefined) => void;
  /** Looks, decides and acts once. Resolves to false when the model is deleted and nothing is left of its pool. */
  tick: () => Promise<boolean>;
  /** Tells the ledger whether the pool can grow, also where that has not changed. */
  publish: () => Promise<void>;
  /** A worker of the pool runs no more. */
  ended: (id: string) => void;
  standing: () => PoolStanding;
}

/** How long the streams of a model may take of which nothing is left but its name. */
const DEFAULT_DRAIN_MS = (MAX_AUDIO_SECONDS + 30) * 1000;

/** Makes the pool of a model; it does nothing until it is ticked. */
export function createPool(name: string, dependencies: PoolDependencies): Pool {
  const { runtime, memory, report, nowMs } = dependencies;
  let model: AsrModel | undefined;
  let template: WorkerTemplate | undefined;
  let drainMs = DEFAULT_DRAIN_MS;
  let state = beginScaling(runtime.list(name).length, nowMs());
  let load: ScalingLoad | undefined;
  let registered: readonly WorkerRecord[] = [];
  let published: boolean | undefined;
  const seen = new Set<string>();
  const lostSinceMs = new Map<string, number>();
  const drainedAtMs = new Map<string, number>();
  /** Processes that ended and that the ledger may not know of yet. */
  const ended = new Set<string>();

  const isDeleted = () => model === undefined;
  const readyWorkers = () => registered.filter(({ draining }) => !draining);

  /** Reads the ledger; false when it does not answer. */
  async function look(): Promise<boolean> {
    try {
      for (const id of ended) {
        await dependencies.workers.remove(name, id);
        ended.delete(id);
      }
      const [{ active, held, waiting }, records] = await Promise.all([
        dependencies.pools.load(name),
        dependencies.workers.list(name),
      ]);
      load = { active, held, waiting, readAtMs: nowMs() };
      registered = records.filter(({ id }) => !ended.has(id));
      note();
      return true;
    } catch (error) {
      if (error instanceof LedgerUnavailable) return false;
      throw error;
    }
  }

  /** Follows each worker from what was read: up, lost, draining. */
  function note(): void {
    const records = new Map(registered.map((record) => [record.id, record]));
    for (const { id } of runtime.list(name)) {
      const record = records.get(id);
      if (record !== undefined) {
        seen.add(id);
        lostSinceMs.delete(id);
        runtime.confirm(id);
        if (record.draining && !drainedAtMs.has(id)) drainedAtMs.set(id, nowMs());
      } else if (seen.has(id) && !lostSinceMs.has(id)) {
        lostSinceMs.set(id, nowMs());
      }
    }
  }

  function decide(): ScalingDecision {
    const ready = readyWorkers();
    const starting = runtime.list(name).filter(({ id, stopping }) => !stopping && !seen.has(id)).length;
    if (model === undefined) return { desired: 0, reasons: [], state: { ...state, desired: 0 } };
    const { scaling: spec, worker } = model.spec;
    return decideScaling({ spec, fixedSlots: worker.slots, load, workers: ready, starting, state, nowMs: nowMs() });
  }

  /** Also while all its workers start: how many sessions they take is not known before they are up. */
  function canGrow(): boolean {
    const trouble = template && runtime.trouble(template);
    report.trouble(name, trouble);
    return model !== undefined && trouble === undefined && readyWorkers().length < model.spec.scaling.max;
  }

  async function publish(grows = canGrow()): Promise<void> {
    await dependencies.pools.configure(name, { canGrow: grows });
    published = grows;
  }

  return {
    set: (next) => {
      model = next;
      template = next && buildTemplate(next);
      if (next !== undefined) drainMs = next.spec.drainSeconds * 1000;
      // What an earlier operator learnt of this revision; what this one has seen itself is newer.
      if (template !== undefined) state = { ...state, slotsPerWorker: state.slotsPerWorker ?? memory.get(template) };
    },
    tick: async () => {
      const known = await look();
      const decision = decide();
      report.decided(name, state, decision, load);
      ({ state } = decision);
      if (template !== undefined) memory.put(template, state.slotsPerWorker);

      const plan = planPool({
        desired: decision.desired,
        revision: template?.revision ?? '',
        running: runtime.list(name),
        registered: known ? registered : undefined,
        lostSinceMs,
        drainedAtMs,
        limits: { ...dependencies.limits, drainMs },
        nowMs: nowMs(),
      });
      if (template !== undefined) runtime.ensure(template, plan.ensure);
      for (const { id, failure } of plan.stop) runtime.stop(id, failure);
      if (!known) return true;
      for (const id of plan.drain) {
        report.draining(name, id);
        await dependencies.workers.drain(name, id);
        if (!drainedAtMs.has(id)) drainedAtMs.set(id, nowMs());
      }
      if (isDeleted() && runtime.list(name).length === 0) {
        await dependencies.pools.remove(name);
        // It may have been made again meanwhile.
        published = undefined;
        if (isDeleted()) return false;
      }
      const grows = canGrow();
      if (grows !== published) await publish(grows);
      return true;
    },
    publish: () => publish(),
    ended: (id) => {
      ended.add(id);
      registered = registered.filter((record) => record.id !== id);
      for (const memo of [seen, lostSinceMs, drainedAtMs]) memo.delete(id);
    },
    standing: () => {
      const running = runtime.list(name).length;
      return { model: name, desired: state.desired, running, ready: readyWorkers().length };
    },
  };
}
