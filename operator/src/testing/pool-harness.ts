import { checkResource } from '@svc-asr/core';
import type { AsrModel, RevisionCounts, RolloutState, ScalingLoad } from '@svc-asr/core';
import type { PoolGrowth, WorkerRecord } from '@svc-asr/ledger';
import { createNotices } from '../notices.ts';
import { Pool } from '../workers/pool/pool.ts';
import type { PoolDependencies } from '../workers/pool/dependencies.ts';
import { createPoolReport } from '../workers/pool/report.ts';
import { RolloutBudget } from '../workers/pool/rollout-budget.ts';
import type { Measurements } from '../workers/pool/slots-memory.ts';
import { countDesired } from '../workers/runtime.ts';
import type { DesiredWorkers, RunningWorker, StartFailure, WorkerRuntime } from '../workers/runtime.ts';
import { buildTemplate } from '../workers/template.ts';
import { createTestLogger } from './logs.ts';
import type { LogLine } from './logs.ts';
import { model } from './resources.ts';

/** A pool whose workers and ledger are in memory. Workers start and stop without delay. */
export interface PoolHarness {
  pool: Pool;
  lines: LogLine[];
  /** Sets the model of the pool and returns its revision. */
  set: (spec: object) => string;
  remove: (namespace?: string) => void;
  /** Advances the clock and reconciles the pool. Repeats this `times` times. */
  tick: (times?: number, stepMs?: number) => Promise<boolean>;
  /** Returns the number of workers of a revision that accept sessions. */
  ready: (revision: string) => number;
  /** Sets the counts that gateways report for a revision. */
  count: (revision: string, counts: Partial<RevisionCounts>) => void;
  /** Sets the load that the ledger reports. */
  load: (load: Partial<ScalingLoad>) => void;
  /** Makes the ledger available or unavailable. */
  setLedgerError: (error: Error | undefined) => void;
  /** Sets whether the objects in the namespace of the model were listed. True by default. */
  setListed: (isListed: boolean) => void;
  /** Ends workers of a revision as if they had crashed. */
  crash: (revision: string, amount: number) => void;
  /** Makes a running worker count as one that crashes repeatedly. Returns its id. */
  sicken: () => string;
  /** Returns the desired state that the pool applied last. */
  desired: () => DesiredWorkers;
  /** Every desired state that the pool applied. */
  applied: readonly DesiredWorkers[];
  /** Sets the number of streams of every worker, or of every worker of a tier. */
  occupy: (active: number, tier?: string) => void;
  /** Returns two numbers for each tier: the workers that accept sessions, and all workers that run. */
  tiers: () => Record<string, { ready: number; running: number }>;
  /** Slots of each worker of a tier, by tier. 1 by default. */
  tierSlots: Map<string, number>;
  /**
   * Keeps new workers of a revision, or of one of its tiers (`REVISION/TIER`), pending, as if they waited for a node.
   */
  holdBack: (revision: string, pending: StartFailure) => void;
  /** Makes new workers of a revision, or of one of its tiers (`REVISION/TIER`), fail at start. */
  breakRevision: (revision: string, failure: StartFailure) => void;
  /** Lets workers of a revision or tier start again, including those that could not start before. */
  mendRevision: (revision: string) => void;
  /** Returns whether the pool can grow, as the pool last wrote it to the ledger. */
  canGrow: () => boolean | undefined;
  /** Returns how far the pool can grow, as the pool last wrote it to the ledger. */
  growth: () => PoolGrowth | undefined;
  weights: () => Record<string, number>;
}

/**
 * Creates the pool of a model `m`. Pools with the same `rollouts` share their rollout state, and pools with the same
 * `slots` share their measured slots.
 */
export function createPoolHarness(
  rollouts = new Map<string, RolloutState>(),
  slots = new Map<string, Measurements>(),
  rolloutBudget = new RolloutBudget(0),
): PoolHarness {
  let nowMs = 0;
  const { logger, lines } = createTestLogger();
  const parts = createTestRuntime(rollouts, (id) => pool.workerEnded(id));
  const { runtime, listing, records, running, applied, failures, heldBack, tierSlots, register, end } = parts;
  const ledger = createTestLedger(records);
  const pool: Pool = new Pool('m', {
    pools: ledger.pools,
    workers: ledger.workers,
    revisions: ledger.revisions,
    runtime,
    slotsMemory: { get: (name) => slots.get(name), put: (name, measured) => void slots.set(name, measured) },
    rolloutBudget,
    report: createPoolReport(createNotices(), logger),
    limits: { lostMs: 1e9, startMs: 1e9 },
    nowMs: () => nowMs,
  });

  return {
    pool,
    lines,
    applied,
    set: (spec) => {
      const changed = readModel(spec);
      pool.setModel(changed);
      return buildTemplate(changed).revision;
    },
    remove: (namespace?: string) => pool.setModel(undefined, [], namespace),
    tick: async (times = 1, stepMs = 1000) => {
      let continues = true;
      for (let tick = 0; tick < times; tick++) {
        nowMs += stepMs;
        continues = await pool.reconcile();
      }
      return continues;
    },
    ready: (revision) =>
      [...records.values()].filter((record) => record.revision === revision && !record.draining).length,
    count: (revision, changes) => {
      const before = ledger.state.counts.get(revision) ?? { streams: 0, failures: 0, latencies: [] };
      ledger.state.counts.set(revision, { ...before, ...changes });
    },
    load: (changes) => {
      ledger.state.load = { ...ledger.state.load, ...changes };
    },
    setLedgerError: (error) => void (ledger.state.error = error),
    setListed: (isListed) => void (listing.isListed = isListed),
    crash: (revision, amount) => {
      const own = [...running.values()].filter((worker) => worker.revision === revision);
      for (const { id } of own.slice(0, amount)) end(id);
    },
    sicken: () => sickenWorker(pool, running, records),
    desired: () => {
      const last = applied.at(-1);
      if (last === undefined) throw new Error('the pool has applied nothing yet');
      return last;
    },
    occupy: (active, tier) => occupyWorkers(records, active, tier),
    tiers: () => countTiers(running, records),
    tierSlots,
    holdBack: (revision, pending) => void heldBack.set(revision, pending),
    breakRevision: (revision, failure) => void failures.set(revision, failure),
    mendRevision: (mended) => {
      failures.delete(mended);
      heldBack.delete(mended);
      for (const worker of running.values()) {
        if (keyOf(worker) === mended && !records.has(worker.id)) register(worker);
      }
      pool.markChanged();
    },
    canGrow: () => ledger.state.growth?.canGrow,
    growth: () => ledger.state.growth,
    weights: () => Object.fromEntries(ledger.state.weights),
  };
}

/** Returns a model `m` with this spec. Throws if the spec is not valid. */
export function readModel(spec: Parameters<PoolHarness['set']>[0]): AsrModel {
  const checked = checkResource(model('m', spec));
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
  return checked.value as AsrModel;
}

function sickenWorker(pool: Pool, running: Map<string, RunningWorker>, records: Map<string, WorkerRecord>): string {
  const [worker] = running.values();
  if (worker === undefined) throw new Error('the pool has no worker');
  running.set(worker.id, { ...worker, sickness: 'ended with status 1' });
  records.delete(worker.id);
  pool.workerEnded(worker.id);
  return worker.id;
}

/** Sets the number of streams of every worker, or of every worker of a tier. */
function occupyWorkers(records: Map<string, WorkerRecord>, active: number, tier: string | undefined): void {
  for (const [id, record] of records) {
    if (tier === undefined || record.tier === tier) records.set(id, { ...record, active });
  }
}

/** Creates the parts of a ledger that a pool uses, in memory. The test changes and reads `state`. */
function createTestLedger(records: Map<string, WorkerRecord>) {
  const state = {
    counts: new Map<string, RevisionCounts>(),
    weights: new Map<string, number>(),
    load: { active: 0, held: 0, waiting: 0, refused: 0, slots: 0, workers: 0, readAtMs: 0 },
    growth: undefined as PoolGrowth | undefined,
    /** Set while the ledger is unavailable. */
    error: undefined as Error | undefined,
  };
  const answer = <T>(value: () => T): Promise<T> =>
    state.error === undefined ? Promise.resolve(value()) : Promise.reject(state.error);
  const drain = (id: string) => {
    const record = records.get(id);
    if (record !== undefined) records.set(id, { ...record, draining: true });
  };
  const parts: Pick<PoolDependencies, 'pools' | 'workers' | 'revisions'> = {
    pools: {
      load: () => answer(() => state.load),
      configure: (_model, growth) => answer(() => void (state.growth = growth)),
      remove: () => answer(() => undefined),
    },
    workers: {
      list: () => answer(() => [...records.values()]),
      drain: (_model, id) => answer(() => drain(id)),
      remove: () => answer(() => undefined),
    },
    revisions: {
      counts: () => answer(() => state.counts),
      weigh: (_model, weights) => answer(() => void (state.weights = new Map(weights))),
    },
  };
  return { ...parts, state };
}

/** Creates a runtime in memory, with the ledger records of its workers. */
function createTestRuntime(rollouts: Map<string, RolloutState>, onEnded: (id: string) => void) {
  const running = new Map<string, RunningWorker>();
  const records = new Map<string, WorkerRecord>();
  const failures = new Map<string, StartFailure>();
  const heldBack = new Map<string, StartFailure>();
  const applied: DesiredWorkers[] = [];
  /** Whether the runtime has listed the objects in the namespace of the model. */
  const listing = { isListed: true };
  let started = 0;

  const tierSlots = new Map<string, number>();
  /** Tiers of the revisions that were built. */
  const revisionTiers = new Map<string, string[]>();
  const register = ({ id, revision, tier = '' }: Pick<RunningWorker, 'id' | 'revision' | 'tier'>) => {
    const slots = tierSlots.get(tier) ?? 1;
    const own = { id, revision, slots, ...(tier !== '' && { tier }) };
    records.set(id, { ...own, address: 'ws://x', active: 0, draining: false, leaseUntilMs: 0 });
  };
  const end = (id: string) => {
    running.delete(id);
    records.delete(id);
    onEnded(id);
  };
  const startMissing = (of: { revision: string; tier?: string }, count: number) => {
    const present = [...running.values()].filter((worker) => keyOf(worker) === keyOf(of)).length;
    for (let missing = count - present; missing > 0; missing--) {
      const id = `w${String(started++).padStart(4, '0')}`;
      running.set(id, { id, model: 'm', ...of, ageMs: 0, stopping: false });
      if (!failures.has(keyOf(of)) && !heldBack.has(keyOf(of))) register({ id, ...of });
    }
  };
  const runtime: WorkerRuntime = {
    open: () => undefined,
    buildTemplate: (resource, guests) => {
      const template = buildTemplate(resource, guests);
      revisionTiers.set(
        template.revision,
        (template.tiers ?? []).map(({ name }) => name),
      );
      return template;
    },
    models: () => ['m'],
    list: () => [...running.values()].map((worker) => ({ ...worker, pending: heldBack.get(keyOf(worker)) })),
    apply: (name, desired) => {
      applied.push(desired);
      for (const revision of desired.counts.keys()) {
        const tiers = revisionTiers.get(revision) ?? [];
        for (const tier of tiers) startMissing({ revision, tier }, countDesired(desired, revision, tier));
        if (tiers.length === 0) startMissing({ revision }, countDesired(desired, revision));
      }
      for (const { id } of desired.stop) end(id);
      if (desired.rollout !== undefined) rollouts.set(name, desired.rollout);
    },
    confirm: () => undefined,
    startFailure: (of) => failures.get(keyOf(of)),
    tiers: ({ revision }) => revisionTiers.get(revision) ?? [],
    failingNodes: () => [],
    isListed: () => listing.isListed,
    mayMissWorkers: () => !listing.isListed,
    storedRollout: (of) => (listing.isListed ? rollouts.get(of.model) : undefined),
    close: () => Promise.resolve(),
  };
  return { runtime, listing, running, records, failures, heldBack, tierSlots, applied, register, end };
}

function keyOf({ revision, tier }: { revision: string; tier?: string | undefined }): string {
  return tier === undefined ? revision : `${revision}/${tier}`;
}

function countTiers(running: ReadonlyMap<string, RunningWorker>, records: ReadonlyMap<string, WorkerRecord>) {
  const counts: Record<string, { ready: number; running: number }> = {};
  for (const { id, tier = '' } of running.values()) {
    const count = (counts[tier] ??= { ready: 0, running: 0 });
    count.running += 1;
    if (records.get(id)?.draining === false) count.ready += 1;
  }
  return counts;
}
