import { isDeepStrictEqual } from 'node:util';
import {
  initialScaling,
  decideRollout,
  decideScaling,
  isSameRollout,
  MAX_AUDIO_SECONDS,
  NO_ROLLOUT,
  prolong,
} from '@svc-asr/core';
import type { AsrModel, RolloutDecision, ScalingDecision } from '@svc-asr/core';
import type { Ledger, PoolLoad } from '@svc-asr/ledger';
import { createPoolView, forgetWorker, observePool, observeRevisions, readyWorkers } from './observe.ts';
import { planPool } from './plan.ts';
import type { Plan } from './plan.ts';
import type { PoolReport } from './report.ts';
import { isSteady, isSameLoad } from './steady.ts';
import type { RolloutMemory } from './rollout-memory.ts';
import type { WorkerRuntime, WorkerTemplate } from '../runtime.ts';
import type { SlotsMemory } from './slots-memory.ts';
import { buildPoolStatus } from './status.ts';
import type { PoolStatus } from './status.ts';
import { decideScaleUpdate } from './scale-update.ts';

export interface PoolDependencies {
  pools: Pick<Ledger['pools'], 'load' | 'configure' | 'remove'>;
  workers: Pick<Ledger['workers'], 'list' | 'drain' | 'remove'>;
  revisions: Pick<Ledger['revisions'], 'counts' | 'weigh'>;
  runtime: WorkerRuntime;
  memory: SlotsMemory;
  rollouts: RolloutMemory;
  report: PoolReport;
  /** How long a worker may be missing from the ledger, and may take to get there. */
  limits: { lostMs: number; startMs: number };
  nowMs: () => number;
}

/** The workers of one model. */
export interface Pool {
  /** Takes over what the resource says; `undefined`: the model is deleted, and its workers go. */
  setModel: (model: AsrModel | undefined) => void;
  /** Looks, decides and acts once. Resolves to false when the model is deleted and nothing is left of its pool. */
  reconcile: () => Promise<boolean>;
  /** Tells the ledger how the pool stands, also where that has not changed. */
  publish: () => Promise<void>;
  /** A worker of the pool runs no more. */
  workerEnded: (id: string) => void;
  /** Something of it may have changed: the next look is a whole one. */
  wake: () => void;
  status: () => PoolStatus;
}

/** How long the streams of a model may take of which nothing is left but its name. */
const DEFAULT_DRAIN_MS = (MAX_AUDIO_SECONDS + 30) * 1000;
/** A pool at rest is looked at as a whole this often all the same; well before its load counts as unknown. */
const LOOK_ANYWAY_MS = 10_000;

/** Makes the pool of a model; it does nothing until it is ticked. */
export function createPool(name: string, dependencies: PoolDependencies): Pool {
  const { runtime, memory, rollouts, revisions, report, nowMs } = dependencies;
  let model: AsrModel | undefined;
  let template: WorkerTemplate | undefined;
  let drainMs = DEFAULT_DRAIN_MS;
  let deletedAtMs: number | undefined;
  let scaling: ScalingDecision = { desired: 0, reasons: [], state: initialScaling(runtime.list(name).length, nowMs()) };
  let rollout: RolloutDecision | undefined;
  let published: boolean | undefined;
  let weighed = '';
  /** Since when it has been at rest, and how it stands; undefined: it is not. */
  let rest: { sinceMs: number; told: PoolLoad; standing: PoolStatus } | undefined;
  /** Counts what may have changed it. */
  let wakes = 0;
  const view = createPoolView();

  const isDeleted = () => model === undefined;
  const wake = () => {
    wakes += 1;
    rest = undefined;
  };

  /** Whether it is as it was when it was found at rest. One that is costs a single question to the ledger. */
  async function isStill(): Promise<boolean> {
    const before = rest;
    if (before === undefined || nowMs() - before.sinceMs >= LOOK_ANYWAY_MS) return false;
    // Where the ledger does not answer the look finds that out, too.
    const told = await dependencies.pools.load(name).catch(() => undefined);
    return rest === before && told !== undefined && isSameLoad(told, before.told);
  }

  /** Revisions of which workers may have to be started. */
  function needed(): string[] {
    if (rollout === undefined) return [];
    const { revision, state } = rollout;
    return [...new Set([revision, state.stable ?? revision])];
  }

  function decideSize(): ScalingDecision {
    const { state } = scaling;
    if (model === undefined) return { desired: 0, reasons: [], state: { ...state, desired: 0 } };
    const starting = runtime.list(name).filter(({ id, stopping }) => !stopping && !view.everRegistered.has(id)).length;
    const { scaling: spec, worker } = model.spec;
    const workers = readyWorkers(view);
    return decideScaling({ spec, fixedSlots: worker.slots, load: view.load, workers, starting, state, nowMs: nowMs() });
  }

  function decideRevision(known: boolean): RolloutDecision | undefined {
    if (model === undefined || template === undefined) return undefined;
    const state = rollout?.state ?? rollouts.get(name) ?? NO_ROLLOUT;
    const decision = decideRollout({
      state,
      spec: model.spec.rollout,
      wanted: template.revision,
      observations: known ? observeRevisions(name, template.revision, view, dependencies) : undefined,
      nowMs: nowMs(),
    });
    if (!isSameRollout(state, decision.state)) rollouts.put(template, decision.state);
    report.rollout(name, rollout, decision);
    return decision;
  }

  const troubleOf = (revision: string | undefined) =>
    revision === undefined ? undefined : runtime.startFailure({ model: name, revision });

  /** Also while all its workers start: how many sessions they take is not known before they are up. */
  function canGrow(): boolean {
    report.startFailure(name, troubleOf(template?.revision)?.message);
    // Further workers are of the revision that carries on, as long as there is one.
    const startFailure = troubleOf(rollout?.stable ?? rollout?.revision ?? template?.revision);
    return model !== undefined && startFailure === undefined && readyWorkers(view).length < model.spec.scaling.max;
  }

  async function publish(grows = canGrow()): Promise<void> {
    await dependencies.pools.configure(name, { canGrow: grows });
    published = grows;
    weighed = '';
  }

  async function weigh(): Promise<void> {
    if (rollout === undefined) return;
    const { revision, stable, percent } = rollout;
    const weights = new Map([[revision, stable === undefined ? 100 : percent]]);
    if (stable !== undefined) weights.set(stable, 100 - percent);
    const text = JSON.stringify([...weights]);
    if (text === weighed) return;
    await revisions.weigh(name, weights);
    weighed = text;
  }

  function start(revision: string, count: number): void {
    if (template?.revision === revision) runtime.ensure(template, count);
    else if (template !== undefined) runtime.keep(name, revision, count);
  }

  function learnt(next: AsrModel, of: WorkerTemplate): number | undefined {
    const told = next.status?.revision === of.revision ? next.status.slotsPerWorker : undefined;
    return memory.get(of) ?? told;
  }

  function standing(): PoolStatus {
    const startFailure = troubleOf(template?.revision);
    return buildPoolStatus(name, { running: runtime.list(name), view, scaling, rollout, startFailure });
  }

  /** Looks, decides and acts; the plan is what was done, where the ledger could be read. */
  async function look(): Promise<{ goesOn: boolean; plan: Plan | undefined }> {
    const isRolling = template !== undefined && template.revision !== rollout?.state.stable;
    const known = await observePool(name, view, isRolling, dependencies);
    const decision = decideSize();
    report.decided(name, scaling.state, decision, view.load);
    scaling = decision;
    if (template !== undefined) memory.put(template, decision.state.slotsPerWorker);
    rollout = decideRevision(known);

    const { revision = '', stable, percent = 100 } = rollout ?? {};
    const plan = planPool({
      desired: decision.desired,
      revision,
      stable: stable === undefined ? undefined : { revision: stable, percent },
      hurried: rollout?.phase === 'RolledBack',
      finishing: deletedAtMs !== undefined && nowMs() - deletedAtMs < drainMs,
      running: runtime.list(name),
      registered: known ? view.registered : undefined,
      lostSinceMs: view.lostSinceMs,
      drainedAtMs: view.drainedAtMs,
      limits: { ...dependencies.limits, drainMs },
      nowMs: nowMs(),
    });
    runtime.writeScale(name, decideScaleUpdate(model, decision.desired));
    start(revision, plan.ensure);
    if (stable !== undefined && plan.ensureStable !== undefined) start(stable, plan.ensureStable);
    for (const { id, failure } of plan.stop) runtime.stop(id, failure);
    runtime.forget(name, needed());
    if (!known) return { goesOn: true, plan: undefined };
    for (const id of plan.drain) {
      report.draining(name, id);
      await dependencies.workers.drain(name, id);
      if (!view.drainedAtMs.has(id)) view.drainedAtMs.set(id, nowMs());
    }
    if (isDeleted() && runtime.list(name).length === 0) {
      await dependencies.pools.remove(name);
      // It may have been made again meanwhile.
      published = undefined;
      if (isDeleted()) return { goesOn: false, plan: undefined };
    }
    const grows = canGrow();
    if (grows !== published) await publish(grows);
    await weigh();
    return { goesOn: true, plan };
  }

  return {
    setModel: (next) => {
      wake();
      model = next;
      const made = next && runtime.template(next);
      // The same one as before, where nothing changed: what was made of it need not be made again.
      if (!isDeepStrictEqual(made, template)) template = made;
      deletedAtMs = next === undefined ? (deletedAtMs ?? nowMs()) : undefined;
      if (next === undefined || template === undefined) return;
      drainMs = next.spec.drainSeconds * 1000;
      // What an earlier operator learnt of this revision; what this one has seen itself is newer.
      const { state } = scaling;
      scaling = { ...scaling, state: { ...state, slotsPerWorker: state.slotsPerWorker ?? learnt(next, template) } };
    },
    reconcile: async () => {
      if (await isStill()) {
        scaling = { ...scaling, state: prolong(scaling.state, nowMs()) };
        return true;
      }
      rest = undefined;
      // What wakes it from now on calls for another look.
      const before = wakes;
      const { goesOn, plan } = await look();
      if (isSteady({ model, plan, view, running: runtime.list(name), scaling, rollout }) && wakes === before) {
        rest = view.ledgerLoad && { sinceMs: nowMs(), told: view.ledgerLoad, standing: standing() };
      }
      return goesOn;
    },
    wake,
    publish: () => publish(),
    workerEnded: (id) => {
      wake();
      forgetWorker(view, id);
    },
    // The same one as before as long as it rests: whoever knows it need not look at it.
    status: () => rest?.standing ?? standing(),
  };
}
