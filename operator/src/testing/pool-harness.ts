import { checkResource } from '@svc-asr/core';
import type { AsrModel, RevisionCounts, ScalingLoad } from '@svc-asr/core';
import type { WorkerRecord } from '@svc-asr/ledger';
import { createNotices } from '../notices.ts';
import { createPool } from '../workers/pool/pool.ts';
import type { Pool } from '../workers/pool/pool.ts';
import { createPoolReport } from '../workers/pool/report.ts';
import { createRolloutMemory } from '../workers/pool/rollout-memory.ts';
import type { RolloutMemory } from '../workers/pool/rollout-memory.ts';
import type { RunningWorker, StartFailure, WorkerTemplate } from '../workers/runtime.ts';
import { createSlotsMemory } from '../workers/pool/slots-memory.ts';
import { buildTemplate } from '../workers/template.ts';
import type { ScaleUpdate } from '../workers/pool/scale-update.ts';
import { createTestLogger } from './logs.ts';
import type { LogLine } from './logs.ts';
import { model } from './resources.ts';

/** A pool whose workers and ledger are in memory: who is to run runs at once, who is to stop is gone at once. */
export interface PoolHarness {
  pool: Pool;
  lines: LogLine[];
  /** Gives the pool a model; resolves to the revision of it. */
  set: (spec: object) => string;
  remove: () => void;
  /** Looks at the pool so many times, this far apart. */
  tick: (times?: number, apartMs?: number) => Promise<boolean>;
  /** Workers that take sessions, by revision. */
  ready: (revision: string) => number;
  /** What gateways counted of a revision. */
  count: (revision: string, counts: Partial<RevisionCounts>) => void;
  /** What the ledger tells of the load from now on. */
  load: (load: Partial<ScalingLoad>) => void;
  /** What was last to be written of the model's scale. */
  scale: () => ScaleUpdate | undefined;
  /** Streams on every worker. */
  occupy: (active: number) => void;
  /** Keeps workers of a revision from starting. */
  breakRevision: (revision: string, startFailure: StartFailure) => void;
  /** Lets workers of a revision start, those included that could not. */
  mendRevision: (revision: string) => void;
  /** What the ledger was last told: whether the pool can still grow. */
  canGrow: () => boolean | undefined;
  weights: () => Record<string, number>;
  needed: () => readonly string[];
}

/** Makes the pool of a model `m`. */
export function createPoolHarness(rollouts: RolloutMemory = createRolloutMemory()): PoolHarness {
  const running = new Map<string, RunningWorker>();
  const records = new Map<string, WorkerRecord>();
  const counts = new Map<string, RevisionCounts>();
  const troubles = new Map<string, StartFailure>();
  let weights = new Map<string, number>();
  let needed: readonly string[] = [];
  let load = { active: 0, held: 0, waiting: 0, slots: 0, workers: 0, readAtMs: 0 };
  let scale: ScaleUpdate | undefined;
  let grows: boolean | undefined;
  let nowMs = 0;
  let made = 0;
  const { logger, lines } = createTestLogger();

  const drop = (id: string) => {
    running.delete(id);
    records.delete(id);
    pool.workerEnded(id);
  };
  const register = (id: string, revision: string) =>
    records.set(id, { id, revision, address: 'ws://x', slots: 1, active: 0, draining: false, leaseUntilMs: 0 });
  const have = (revision: string, count: number) => {
    const present = [...running.values()].filter((worker) => worker.revision === revision).length;
    for (let missing = count - present; missing > 0; missing--) {
      const id = `w${String(made++).padStart(4, '0')}`;
      running.set(id, { id, model: 'm', revision, ageMs: 0, stopping: false });
      if (!troubles.has(revision)) register(id, revision);
    }
  };
  const pool: Pool = createPool('m', {
    pools: {
      load: () => Promise.resolve(load),
      configure: (_model, { canGrow }) => {
        grows = canGrow;
        return Promise.resolve();
      },
      remove: () => Promise.resolve(),
    },
    workers: {
      list: () => Promise.resolve([...records.values()]),
      drain: (_model, id) => {
        const record = records.get(id);
        if (record !== undefined) records.set(id, { ...record, draining: true });
        return Promise.resolve();
      },
      remove: () => Promise.resolve(),
    },
    revisions: {
      counts: () => Promise.resolve(counts),
      weigh: (_model, next) => {
        weights = new Map(next);
        return Promise.resolve();
      },
    },
    runtime: {
      open: () => undefined,
      template: buildTemplate,
      models: () => ['m'],
      list: () => [...running.values()],
      ensure: (template: WorkerTemplate, count) => have(template.revision, count),
      keep: (_model, revision, count) => have(revision, count),
      forget: (_model, names) => {
        needed = names;
      },
      writeScale: (_model, next) => {
        scale = next;
      },
      confirm: () => undefined,
      stop: drop,
      startFailure: ({ revision }) => troubles.get(revision),
      close: () => Promise.resolve(),
    },
    memory: createSlotsMemory(),
    rollouts,
    report: createPoolReport(createNotices(), logger),
    limits: { lostMs: 1e9, startMs: 1e9 },
    nowMs: () => nowMs,
  });

  return {
    pool,
    lines,
    set: (spec) => {
      const checked = checkResource(model('m', spec));
      if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
      pool.setModel(checked.value as AsrModel);
      return buildTemplate(checked.value as AsrModel).revision;
    },
    remove: () => pool.setModel(undefined),
    tick: async (times = 1, apartMs = 1000) => {
      let goesOn = true;
      for (let look = 0; look < times; look++) {
        nowMs += apartMs;
        goesOn = await pool.reconcile();
      }
      return goesOn;
    },
    ready: (revision) =>
      [...records.values()].filter((record) => record.revision === revision && !record.draining).length,
    count: (revision, changes) => {
      const before = counts.get(revision) ?? { streams: 0, failures: 0, latencies: [] };
      counts.set(revision, { ...before, ...changes });
    },
    load: (changes) => {
      load = { ...load, ...changes };
    },
    scale: () => scale,
    occupy: (active) => {
      for (const [id, record] of records) records.set(id, { ...record, active });
    },
    breakRevision: (revision, startFailure) => void troubles.set(revision, startFailure),
    mendRevision: (mended) => {
      troubles.delete(mended);
      for (const { id, revision } of running.values()) {
        if (revision === mended && !records.has(id)) register(id, revision);
      }
      pool.wake();
    },
    canGrow: () => grows,
    weights: () => Object.fromEntries(weights),
    needed: () => needed,
  };
}
