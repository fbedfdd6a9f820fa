import type { RolloutState } from '@svc-asr/core';
import { LedgerUnavailable } from '@svc-asr/ledger';
import { createPoolHarness, readModel } from '../../testing/pool-harness.ts';
import type { PoolHarness } from '../../testing/pool-harness.ts';
import { buildTemplate } from '../template.ts';
import { decideGrowth } from './decide.ts';
import { createPoolView } from './observe.ts';
import { RolloutBudget } from './rollout-budget.ts';
import type { Measurements } from './slots-memory.ts';

const rollout = { canaryPercent: 20, maxFailurePercent: 1, maxDeltaP95Ms: 500, windowSeconds: 60 };
const spec = (image: string, more: object = {}) => ({
  worker: { image, slots: 1 },
  scaling: { min: 10, max: 10 },
  rollout: { ...rollout, ...more },
});
const readRevision = (image: string) => buildTemplate(readModel(spec(image))).revision;
const phase = ({ pool }: PoolHarness) => pool.status().rollout?.phase;
const revisions = (harness: PoolHarness) => [...harness.desired().counts.keys()];

describe('rollout:', () => {
  test('a pool gives a new revision its canary share, observes this revision, and then replaces all workers of the old revision', async () => {
    const harness = createPoolHarness();
    const old = harness.set(spec('worker:1'));
    await harness.tick(3);
    expect([harness.ready(old), harness.weights()]).toEqual([10, { [old]: 100 }]);

    const next = harness.set(spec('worker:2'));
    await harness.tick(8);
    expect([phase(harness), harness.ready(old), harness.ready(next)]).toEqual(['Canary', 8, 2]);
    expect(harness.weights()).toEqual({ [next]: 20, [old]: 80 });
    expect(revisions(harness)).toEqual(expect.arrayContaining([old, next]));
    await harness.tick(50);
    expect([harness.ready(old), harness.ready(next)]).toEqual([8, 2]);

    await harness.tick(40);
    expect([phase(harness), harness.ready(old), harness.ready(next)]).toEqual(['Steady', 0, 10]);
    expect(harness.weights()).toEqual({ [next]: 100 });
    expect(revisions(harness)).toEqual([next]);
  });

  test('a pool rolls back a failing canary and does not try it again, even if another operator takes over', async () => {
    const rollouts = new Map<string, RolloutState>();
    const harness = createPoolHarness(rollouts);
    const old = harness.set(spec('worker:1'));
    await harness.tick(3);
    const bad = harness.set(spec('worker:2'));
    await harness.tick(8);
    expect(phase(harness)).toBe('Canary');
    harness.count(bad, { streams: 30, failures: 6 });
    await harness.tick(10);
    expect([phase(harness), harness.ready(old), harness.ready(bad)]).toEqual(['RolledBack', 10, 0]);
    expect(harness.weights()).toEqual({ [old]: 100 });
    expect(revisions(harness)).toEqual([old]);
    const warnings = harness.lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
    expect(warnings).toEqual([expect.stringContaining(bad)]);
    expect(warnings[0]).toContain('6 of 30 streams failed');
    await harness.tick(200);
    expect(harness.ready(bad)).toBe(0);

    const next = createPoolHarness(rollouts);
    next.set(spec('worker:2'));
    await next.tick(5);
    expect(phase(next)).toBe('RolledBack');

    const good = harness.set(spec('worker:3'));
    await harness.tick(8);
    expect([phase(harness), harness.ready(good)]).toEqual(['Canary', 2]);
  });

  test('a pool decides no rollout before its namespace was listed, and then applies the stored rollback', async () => {
    const rejected = { revision: readRevision('worker:2'), reason: 'Failures', message: 'too many' } as const;
    const stored: RolloutState = { stable: readRevision('worker:1'), candidate: undefined, rejected };
    const rollouts = new Map([['m', stored]]);
    const harness = createPoolHarness(rollouts);
    harness.setListed(false);
    harness.set(spec('worker:2'));
    await harness.tick(3);
    expect([phase(harness), revisions(harness), harness.desired().rollout]).toEqual([undefined, [], undefined]);
    expect([harness.weights(), rollouts.get('m')]).toEqual([{}, stored]);
    harness.setListed(true);
    await harness.tick(3);
    expect([phase(harness), revisions(harness)]).toEqual(['RolledBack', [stored.stable]]);
    expect(rollouts.get('m')).toEqual(stored);
  });

  test('a pool starts the previous revision again if the new revision fails after its rollout has replaced all workers', async () => {
    const harness = createPoolHarness();
    const old = harness.set(spec('worker:1', { canaryPercent: 0 }));
    await harness.tick(3);
    const bad = harness.set(spec('worker:2', { canaryPercent: 0 }));
    await harness.tick(40);
    expect([phase(harness), harness.ready(old), harness.ready(bad)]).toEqual(['Rolling', 0, 10]);
    expect(harness.desired().counts.get(old)).toBe(0);
    harness.count(bad, { streams: 30, failures: 6 });
    await harness.tick(5);
    expect([phase(harness), harness.ready(old), harness.ready(bad)]).toEqual(['RolledBack', 10, 0]);
  });

  test('a pool keeps serving with the previous revision, and reports why the new revision does not start', async () => {
    const harness = createPoolHarness();
    const old = harness.set(spec('worker:1'));
    await harness.tick(3);
    const broken = harness.set(spec('worker:2'));
    harness.breakRevision(broken, { reason: 'ImagePullFailed', message: 'no such image' });
    await harness.tick(100);
    expect([phase(harness), harness.ready(old), harness.ready(broken)]).toEqual(['Starting', 10, 0]);
    expect(harness.pool.status()).toMatchObject({ revision: old, startFailure: { reason: 'ImagePullFailed' } });
  });

  test('a pool rolls back a revision that does not start in time, even if it has drained a worker to make room', async () => {
    const harness = createPoolHarness();
    const full = { canaryPercent: 0, maxSurge: 0, startSeconds: 60 };
    const old = harness.set(spec('worker:1', full));
    await harness.tick(3);
    const broken = harness.set(spec('worker:2', full));
    harness.breakRevision(broken, { reason: 'CrashLoop', message: 'workers fail to start' });
    await harness.tick(30);
    expect([phase(harness), harness.ready(old), harness.pool.status().running]).toEqual(['Starting', 9, 10]);
    await harness.tick(40);
    expect([phase(harness), harness.ready(old), harness.pool.status().running]).toEqual(['RolledBack', 10, 10]);
    expect(harness.pool.status()).toMatchObject({ startFailure: undefined });
    expect(harness.pool.status().rollout?.message).toContain('within 60 s: workers fail to start');
  });

  test('a pool keeps its revision while the rollout budget is used by another pool', async () => {
    const budget = new RolloutBudget(1);
    const [first, second] = [
      createPoolHarness(undefined, undefined, budget),
      createPoolHarness(undefined, undefined, budget),
    ];
    budget.update('another', true);
    const old = first.set(spec('worker:1'));
    await first.tick(3);
    const next = first.set(spec('worker:2'));
    await first.tick(3);
    expect([phase(first), first.ready(old), first.ready(next)]).toEqual(['Queued', 10, 0]);
    expect(first.weights()).toEqual({ [old]: 100 });
    // A pool without workers needs no budget, because its rollout replaces no worker.
    second.set({ ...spec('worker:1'), scaling: { min: 0, max: 1 } });
    await second.tick();
    second.set({ ...spec('worker:2'), scaling: { min: 0, max: 1 } });
    await second.tick();
    expect(phase(second)).toBe('Starting');
    budget.update('another', false);
    await first.tick(8);
    expect([phase(first), first.ready(next)]).toEqual(['Canary', 2]);
    expect(budget.mayStart('another')).toBe(false);
    await first.tick(200);
    expect([phase(first), budget.mayStart('another')]).toEqual(['Steady', true]);
  });

  test('a pool without workers starts workers of the previous revision while the new revision does not start', async () => {
    const harness = createPoolHarness();
    const empty = { scaling: { min: 0, max: 10 } };
    const old = harness.set({ ...spec('worker:1'), ...empty });
    await harness.tick(3);
    const broken = harness.set({ ...spec('worker:2'), ...empty });
    harness.breakRevision(broken, { reason: 'ImagePullFailed', message: 'no such image' });
    await harness.tick(3);
    harness.set({ ...spec('worker:2'), scaling: { min: 2, max: 10 } });
    await harness.tick(3);
    expect([harness.ready(old), harness.ready(broken)]).toEqual([2, 0]);
  });

  test('the stored rollout state does not change with every reconcile during a canary', async () => {
    const harness = createPoolHarness();
    harness.set(spec('worker:1'));
    await harness.tick(3);
    harness.set(spec('worker:2'));
    await harness.tick(8);
    expect(phase(harness)).toBe('Canary');
    const stored = harness.desired().rollout;
    await harness.tick(20);
    expect(phase(harness)).toBe('Canary');
    expect(harness.desired().rollout).toBe(stored);
  });
});

describe('capacity:', () => {
  test('a pool whose pods cannot be scheduled reports that it cannot grow, until they can be scheduled', async () => {
    const harness = createPoolHarness();
    const revision = harness.set({ ...spec('worker:1'), scaling: { min: 2, max: 10 } });
    await harness.tick(3);
    expect([harness.ready(revision), harness.canGrow()]).toEqual([2, true]);
    harness.breakRevision(revision, { reason: 'Unschedulable', message: 'pod p cannot be scheduled to a node' });
    harness.set({ ...spec('worker:1'), scaling: { min: 4, max: 10 } });
    await harness.tick();
    expect([harness.ready(revision), harness.canGrow()]).toEqual([2, false]);
    expect(harness.pool.status()).toMatchObject({ running: 4, startFailure: { reason: 'Unschedulable' } });
    harness.mendRevision(revision);
    await harness.tick();
    expect([harness.ready(revision), harness.canGrow()]).toEqual([4, true]);
  });

  test.each([
    ['the average slots that present workers offer, if workers measure their slots', 0, 3 + 4 * 1.5],
    ['the slots that the model sets', 4, 3 + 4 * 4],
  ])('decideGrowth assumes that each further worker has %s', (_condition, slots, capacity) => {
    const model = readModel({ worker: { slots }, scaling: { min: 0, max: 6 } });
    const own = { address: 'ws://x', revision: 'r', active: 0, draining: false, leaseUntilMs: 0, measuredSlots: 4 };
    const registered = [
      { ...own, id: 'a', slots: 1 },
      { ...own, id: 'b', slots: 2 },
    ];
    const view = { ...createPoolView(), registered };
    const growth = decideGrowth({ model, view, running: [], startFailure: undefined, slotsPerWorker: 4 });
    expect(growth).toEqual({ canGrow: true, capacity });
  });

  test('after the slots of one worker are known, a pool publishes the number of slots that it has at its maximum size', async () => {
    const harness = createPoolHarness();
    const measuring = { worker: { image: 'worker:1' }, scaling: { min: 0, max: 10 } };
    const revision = harness.set(measuring);
    await harness.tick();
    expect(harness.growth()).toEqual({ canGrow: true });
    harness.breakRevision(revision, { reason: 'ImagePullFailed', message: 'no such image' });
    harness.load({ waiting: 20 });
    await harness.tick();
    expect([harness.pool.status().running, harness.growth()]).toEqual([1, { canGrow: false }]);
    harness.mendRevision(revision);
    await harness.tick();
    expect(harness.growth()).toMatchObject({ canGrow: true, capacity: 10 });
    expect(harness.desired().counts.get(revision)).toBe(10);
  });

  test('a pool expects the slots that an earlier operator measured for the same revision, and reports them', async () => {
    const memory = new Map<string, Measurements>();
    const harness = createPoolHarness(new Map(), memory);
    harness.set({ worker: { image: 'worker:1' }, scaling: { min: 1, max: 10 } });
    await harness.tick(3);
    const { measuredSlots } = harness.pool.status();
    expect([...memory]).toEqual([['m', measuredSlots]]);
    expect(measuredSlots).toMatchObject([{ slots: 1 }]);

    const next = createPoolHarness(new Map(), memory);
    next.load({ waiting: 4 });
    next.set({ worker: { image: 'worker:1' }, scaling: { max: 10, bufferSessions: 0, bufferPercent: 0 } });
    await next.tick();
    expect(next.pool.status().desired).toBe(4);
    next.set({ worker: { image: 'worker:2' }, scaling: { max: 10, bufferSessions: 0, bufferPercent: 0 } });
    expect(next.pool.status().slotsPerWorker).toBeUndefined();
  });

  test('a pool keeps a worker that waits for a node, even after the sessions that needed the worker have left the queue', async () => {
    const harness = createPoolHarness();
    const revision = harness.set({ worker: { image: 'worker:1' }, scaling: { max: 4, idleToZeroSeconds: 60 } });
    harness.holdBack(revision, { reason: 'Unschedulable', message: 'pod p cannot be scheduled to a node' });
    harness.load({ waiting: 1 });
    await harness.tick();
    expect(harness.growth()).toEqual({ canGrow: true, growth: 'provisioning' });
    harness.load({ waiting: 0 });
    await harness.tick(500);
    expect(harness.pool.status()).toMatchObject({ desired: 1, running: 1, pending: { reason: 'Unschedulable' } });
    harness.mendRevision(revision);
    await harness.tick(2);
    expect(harness.pool.status()).toMatchObject({ ready: 1, pending: undefined });
    await harness.tick(400);
    expect(harness.pool.status().running).toBe(0);
  });

  test('a pool at its maximum cannot grow', async () => {
    const harness = createPoolHarness();
    const revision = harness.set(spec('worker:1'));
    await harness.tick(3);
    expect([harness.ready(revision), harness.canGrow()]).toEqual([10, false]);
  });
});

describe('sick workers:', () => {
  const stopped = ({ applied }: PoolHarness) => applied.flatMap(({ stop }) => stop.map(({ id }) => id));

  test('a pool stops a sick worker after another worker has replaced it', async () => {
    const harness = createPoolHarness();
    const revision = harness.set(spec('worker:1'));
    await harness.tick(3);
    const sick = harness.sicken();
    await harness.tick(1);
    expect([harness.desired().sick, harness.ready(revision), stopped(harness)]).toEqual([[sick], 10, []]);
    await harness.tick(2);
    expect([harness.desired().sick, harness.ready(revision), stopped(harness)]).toEqual([[], 10, [sick]]);
  });

  test('a pool stops a sick worker after half of provisionSeconds if there is no node for its replacement', async () => {
    const harness = createPoolHarness();
    const revision = harness.set({ ...spec('worker:1'), scaling: { min: 10, max: 10, provisionSeconds: 100 } });
    await harness.tick(3);
    harness.holdBack(revision, { reason: 'Unschedulable', message: 'no node has a free GPU' });
    const sick = harness.sicken();
    await harness.tick(50);
    expect([harness.desired().sick, harness.pool.status().running, stopped(harness)]).toEqual([[sick], 11, []]);
    await harness.tick(2);
    expect([harness.desired().sick, harness.pool.status().running, stopped(harness)]).toEqual([[], 10, [sick]]);
  });
});

describe('deletion:', () => {
  test('a pool whose model was deleted lets its streams finish before the last workers stop', async () => {
    const harness = createPoolHarness();
    harness.set(spec('worker:1'));
    await harness.tick(3);
    harness.occupy(1);
    harness.remove();
    expect(await harness.tick(5)).toBe(true);
    expect(harness.pool.status().ready).toBe(10);
    expect(harness.desired()).toMatchObject({ template: undefined, rollout: undefined, scale: undefined });
    expect(harness.desired().counts.size).toBe(0);
    harness.occupy(0);
    expect(await harness.tick(5)).toBe(false);
    expect(harness.pool.status().running).toBe(0);
  });

  test('a pool whose model was deleted drains its workers if the streams do not end in time', async () => {
    const harness = createPoolHarness();
    harness.set(spec('worker:1'));
    await harness.tick(3);
    harness.occupy(1);
    harness.remove();
    await harness.tick(5, 100_000);
    expect(harness.pool.status().ready).toBe(0);
  });
});

describe('desired state:', () => {
  test('a pool applies the scale update that its model needs, and none if the model needs no update or was deleted', async () => {
    const harness = createPoolHarness();
    harness.set({ ...spec('worker:1'), scaling: { mode: 'External', min: 2, max: 10 } });
    await harness.tick(3);
    expect(harness.desired().scale).toMatchObject({ replicas: 2 });
    harness.set(spec('worker:1'));
    await harness.tick();
    expect(harness.desired().scale).toBeUndefined();
    harness.set({ ...spec('worker:1'), scaling: { mode: 'External', min: 2, max: 10 } });
    await harness.tick();
    expect(harness.desired().scale).toMatchObject({ replicas: 10 });
    harness.remove();
    await harness.tick();
    expect(harness.desired().scale).toBeUndefined();
  });

  test('each full reconcile of a pool applies the desired state again, even if this state has not changed', async () => {
    const harness = createPoolHarness();
    harness.set(spec('worker:1'));
    await harness.tick(5);
    const before = harness.applied.length;
    harness.pool.markChanged();
    await harness.tick();
    harness.pool.markChanged();
    await harness.tick();
    expect(harness.applied.length).toBe(before + 2);
    expect(harness.applied.at(-1)).toEqual(harness.applied.at(-2));
  });

  test('during a canary, a pool keeps the number of workers of the stable revision while the ledger is unavailable', async () => {
    const harness = createPoolHarness();
    const old = harness.set(spec('worker:1'));
    await harness.tick(3);
    const next = harness.set(spec('worker:2'));
    await harness.tick(8);
    expect(harness.desired().counts).toEqual(
      new Map([
        [next, 2],
        [old, 8],
      ]),
    );
    harness.setLedgerError(new LedgerUnavailable('Redis does not answer'));
    harness.crash(old, 1);
    await harness.tick();
    expect(harness.desired().counts.get(old)).toBe(8);
    expect(harness.desired().stop).toEqual([]);
  });
});

test('if a model was deleted before the operator started, the desired state of its pool has the namespace that the ASRModel had', async () => {
  const harness = createPoolHarness();
  harness.setListed(false);
  harness.remove('late');
  expect(await harness.tick()).toBe(true);
  expect(harness.desired()).toMatchObject({ template: undefined, namespace: 'late' });
});

test('the pool of a deleted model is kept until its namespace was listed, because unknown workers may still run there', async () => {
  const harness = createPoolHarness();
  harness.setListed(false);
  harness.set(spec('worker:1'));
  await harness.tick();
  harness.remove();
  expect(await harness.tick(3)).toBe(true);
  harness.setListed(true);
  expect(await harness.tick()).toBe(false);
});
