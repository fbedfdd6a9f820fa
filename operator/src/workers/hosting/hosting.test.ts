import { checkResource } from '@svc-asr/core';
import type { AsrModel, RevisionCounts } from '@svc-asr/core';
import type { PoolGrowth, WorkerRecord } from '@svc-asr/ledger';
import { createNotices } from '../../notices.ts';
import { createTestLogger } from '../../testing/logs.ts';
import { model } from '../../testing/resources.ts';
import { PoolManager } from '../pool-manager.ts';
import { createPoolReport } from '../pool/report.ts';
import { RolloutBudget } from '../pool/rollout-budget.ts';
import { createSlotsMemory } from '../pool/slots-memory.ts';
import type { DesiredWorkers, EndedWorker, RunningWorker, RuntimeListener } from '../runtime.ts';
import { buildTemplate } from '../template.ts';

const SCALING = { min: 1, max: 4, bufferSessions: 0, bufferPercent: 0, scaleDownDelaySeconds: 0 };
const SLOTS = 10;

let nowMs: number;
let models: Map<string, AsrModel>;
let running: Map<string, RunningWorker>;
/** Ledger records of workers, by model and worker id. */
let records: Map<string, Map<string, WorkerRecord>>;
let waiting: Map<string, number>;
let growth: Map<string, PoolGrowth>;
let weights: Map<string, string[]>;
let counts: Map<string, Map<string, RevisionCounts>>;
let applied: Map<string, DesiredWorkers>;
let removed: string[];
let listener: RuntimeListener;
let manager: PoolManager;

beforeEach(async () => {
  nowMs = 0;
  [models, running, records, waiting, growth] = [new Map(), new Map(), new Map(), new Map(), new Map()];
  [weights, counts, applied, removed] = [new Map(), new Map(), new Map(), []];
  const { logger } = createTestLogger();
  manager = new PoolManager({
    pools: {
      load: (name) => Promise.resolve(loadOf(name)),
      configure: (name, value) => Promise.resolve(void growth.set(name, value)),
      remove: (name) => Promise.resolve(void removed.push(name)),
    },
    workers: {
      list: (name) => Promise.resolve([...recordsOf(name).values()]),
      drain: (name, id) => {
        change(name, id, { draining: true });
        return Promise.resolve();
      },
      remove: (name, id) => Promise.resolve(void recordsOf(name).delete(id)),
    },
    revisions: {
      counts: (name) => Promise.resolve(counts.get(name) ?? new Map()),
      weigh: (name, shares) => Promise.resolve(void weights.set(name, [...shares.keys()])),
    },
    runtime: {
      open: (opened) => void (listener = opened),
      buildTemplate,
      models: () => [],
      list: (name) => [...running.values()].filter((worker) => worker.model === name),
      apply: runWorkers,
      confirm: () => undefined,
      startFailure: () => undefined,
      failingNodes: () => [],
      storedRollout: () => undefined,
      close: () => Promise.resolve(),
    },
    slotsMemory: createSlotsMemory(),
    report: createPoolReport(createNotices(), logger),
    rolloutBudget: new RolloutBudget(0),
    limits: { lostMs: 1e9, startMs: 1e9 },
    nowMs: () => nowMs,
    source: {
      get: ((_kind: string, name: string) => models.get(name)) as never,
      list: () => [...models.values()] as never,
      unsettled: () => undefined,
    },
    intervalMs: 1e9,
  });
  await manager.start();
});
afterEach(() => manager.stop());

function recordsOf(name: string): Map<string, WorkerRecord> {
  const found = records.get(name) ?? new Map<string, WorkerRecord>();
  records.set(name, found);
  return found;
}

function change(name: string, id: string, fields: Partial<WorkerRecord>): void {
  const record = recordsOf(name).get(id);
  if (record !== undefined) recordsOf(name).set(id, { ...record, ...fields });
}

function loadOf(name: string) {
  const all = [...recordsOf(name).values()];
  const active = all.reduce((sum, record) => sum + record.active, 0);
  const sessions = { active, held: 0, waiting: waiting.get(name) ?? 0, refused: 0 };
  return { ...sessions, slots: all.length * SLOTS, workers: all.length, readAtMs: nowMs };
}

/** Starts and stops workers at once. A worker registers for its model and for the guests in its template. */
function runWorkers(name: string, desired: DesiredWorkers): void {
  applied.set(name, desired);
  const { template } = desired;
  const present = (revision: string) =>
    [...running.values()].filter((worker) => worker.model === name && worker.revision === revision).length;
  for (const [revision, count] of desired.counts) {
    for (let missing = count - present(revision); missing > 0 && template?.revision === revision; missing--) {
      const id = `${name}-${revision.slice(0, 4)}-${running.size}`;
      running.set(id, { id, model: name, revision, ageMs: 0, stopping: false });
      const record = { id, revision, address: 'ws://x', slots: SLOTS, active: 0, draining: false, leaseUntilMs: 0 };
      for (const served of [template, ...(template.guests ?? [])]) recordsOf(served.model).set(id, record);
    }
  }
  for (const { id } of desired.stop) end({ id, model: name, how: 'ended as requested', requested: true });
}

/** Ends a worker. A worker that was asked to stop removes its own records from the ledger. */
function end(worker: EndedWorker): void {
  running.delete(worker.id);
  if (worker.requested) for (const pool of records.values()) pool.delete(worker.id);
  listener.onEnded(worker);
}

async function put(name: string, spec: object = {}): Promise<void> {
  const checked = checkResource(model(name, { scaling: SCALING, ...spec }));
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
  models.set(name, checked.value as AsrModel);
  await manager.put(checked.value as AsrModel);
}

async function remove(name: string): Promise<void> {
  models.delete(name);
  await manager.retire(name);
}

/** Reconciles all pools several times. */
async function settle(seconds = 10): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    nowMs += 1000;
    for (const resource of models.values()) await manager.put(resource);
  }
}

const workersOf = (name: string) => [...running.values()].filter((worker) => worker.model === name);

describe('a guest', () => {
  beforeEach(async () => {
    await put('guest', { hostedBy: 'host' });
    await put('host');
    await settle();
  });

  test('has no workers of its own, and its status shows the workers of the host', () => {
    expect([workersOf('host').length, workersOf('guest').length]).toEqual([1, 0]);
    expect(manager.status('guest')).toMatchObject({
      host: 'host',
      desired: 1,
      running: 1,
      ready: 1,
      slots: { total: SLOTS },
      revision: manager.status('host')?.revision,
      startFailure: undefined,
    });
    expect(applied.get('guest')).toMatchObject({ hosted: true, template: { model: 'guest' } });
  });

  test('gets the revision weights of its host, and reports the capacity to which the host can grow', () => {
    expect(weights.get('guest')).toEqual(weights.get('host'));
    expect(growth.get('guest')).toMatchObject({ canGrow: true, capacity: SCALING.max * SLOTS });
  });

  test('increases the number of workers of its host, within the limits of the host', async () => {
    waiting.set('guest', 25);
    await settle(2);
    expect(workersOf('host')).toHaveLength(3);
    waiting.set('guest', 1000);
    await settle();
    expect(workersOf('host')).toHaveLength(SCALING.max);
    expect(growth.get('guest')).toEqual({ canGrow: false });
  });

  test('keeps a worker of its host running while the guest has streams there, although the worker drains for both models', async () => {
    waiting.set('host', 15);
    await settle();
    const [first = '', second = ''] = workersOf('host').map(({ id }) => id);
    for (const id of [first, second]) change('guest', id, { active: 3 });
    waiting.set('host', 0);
    await settle();
    const [draining] = [...recordsOf('host').values()].filter((record) => record.draining);
    expect(recordsOf('guest').get(draining?.id ?? '')).toMatchObject({ draining: true });
    expect(workersOf('host')).toHaveLength(2);
    change('guest', draining?.id ?? '', { active: 0 });
    await settle();
    expect(workersOf('host')).toHaveLength(1);
    expect(recordsOf('guest').size).toBe(1);
  });

  test('reduces the number of workers of its host that may be evicted, so that enough slots for the streams of the guest remain', async () => {
    waiting.set('host', 1000);
    await settle();
    expect(applied.get('host')?.evictable).toBe(SCALING.max);
    const [first = '', second = ''] = workersOf('host').map(({ id }) => id);
    change('guest', first, { active: SLOTS });
    await settle(2);
    expect(applied.get('host')?.evictable).toBe(SCALING.max - 1);
    change('guest', second, { active: 1 });
    await settle(2);
    expect(applied.get('host')?.evictable).toBe(SCALING.max - 2);
    // A worker that does not serve the guest has no slots for it.
    recordsOf('guest').delete(workersOf('host')[2]?.id ?? '');
    await settle(2);
    expect(applied.get('host')?.evictable).toBe(SCALING.max - 3);
  });

  test('that was deleted is not part of the next revision of its host, and keeps its pool while it has streams', async () => {
    const before = manager.status('host')?.revision;
    const [{ id } = { id: '' }] = workersOf('host');
    change('guest', id, { active: 1 });
    await remove('guest');
    expect(manager.has('guest')).toBe(true);
    await settle();
    expect(manager.status('host')?.revision).not.toBe(before);
    expect(workersOf('host').some((worker) => worker.id !== id)).toBe(true);
  });

  test('is not available after its host was deleted, with the reason HostMissing', async () => {
    await remove('host');
    for (const { id } of workersOf('host')) end({ id, model: 'host', how: 'ended by SIGKILL', requested: false });
    await settle();
    expect(manager.status('guest')).toMatchObject({ ready: 0, startFailure: { reason: 'HostMissing' } });
    expect(growth.get('guest')).toEqual({ canGrow: false });
    await put('host');
    await settle();
    expect(manager.status('guest')).toMatchObject({ ready: 1, startFailure: undefined });
  });

  test('gets workers of its own when its hostedBy is removed', async () => {
    await put('guest');
    await settle();
    expect([workersOf('host').length, workersOf('guest').length]).toEqual([1, 1]);
    expect(manager.status('guest')?.host).toBeUndefined();
  });
});

test('a model that becomes a guest keeps its workers until a worker of the host is ready', async () => {
  await put('guest');
  await settle();
  expect(workersOf('guest')).toHaveLength(1);
  await put('guest', { hostedBy: 'host' });
  await settle();
  expect(workersOf('guest')).toHaveLength(1);
  await put('host');
  await settle();
  expect([workersOf('host').length, workersOf('guest').length]).toEqual([1, 0]);
});

test('the first workers of a host already serve a guest that exists but was not reconciled yet', async () => {
  const checked = checkResource(model('guest', { hostedBy: 'host' }));
  models.set('guest', checked.ok ? (checked.value as AsrModel) : (undefined as never));
  await put('host');
  expect(applied.get('host')?.template?.guests).toMatchObject([{ model: 'guest' }]);
});
