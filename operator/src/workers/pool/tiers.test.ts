import { LedgerUnavailable } from '@svc-asr/ledger';
import { createPoolHarness } from '../../testing/pool-harness.ts';
import type { PoolHarness } from '../../testing/pool-harness.ts';
import { createPoolView } from './observe.ts';
import { decideTierGrowth } from './tiers.ts';

const scaling = { bufferSessions: 0, bufferPercent: 0, scaleDownDelaySeconds: 0, idleToZeroSeconds: 0 };
const rollout = { windowSeconds: 0 };
const RESERVED = { name: 'reserved', priority: 10, max: 2, slots: 10 };
const SPOT = { name: 'spot', priority: 5, max: 2, slots: 10 };
const CPU = { name: 'cpu', max: 4, slots: 2 };
const spec = (pools: object[] = [CPU, SPOT, RESERVED], more: object = {}) => ({ pools, scaling, rollout, ...more });
const pending = { reason: 'Unschedulable', message: 'no node has a free GPU' };
const sizes = ({ pool }: PoolHarness) =>
  Object.fromEntries((pool.status().tiers ?? []).map(({ name, desired }) => [name, desired]));

/** Creates a pool with tiers, and sets how many slots the workers of each tier have. */
function createTiered(more: object = spec()): { harness: PoolHarness; revision: string } {
  const harness = createPoolHarness();
  for (const { name, slots } of [RESERVED, SPOT, CPU]) harness.tierSlots.set(name, slots);
  return { harness, revision: harness.set(more) };
}

test('demand fills the tier with the highest priority up to its maximum first, and then the next tiers', async () => {
  const { harness } = createTiered();
  harness.load({ active: 15 });
  await harness.tick(2);
  expect(sizes(harness)).toEqual({ reserved: 2, spot: 0, cpu: 0 });
  harness.load({ active: 43 });
  await harness.tick(2);
  expect(sizes(harness)).toEqual({ reserved: 2, spot: 2, cpu: 2 });
  expect(harness.growth()).toEqual({ canGrow: true, capacity: 48, tiers: ['reserved', 'spot', 'cpu'] });
  harness.load({ active: 60 });
  await harness.tick(2);
  expect(sizes(harness)).toEqual({ reserved: 2, spot: 2, cpu: 4 });
  expect(harness.growth()?.canGrow).toBe(false);
  expect(harness.pool.status().reasons.map(({ reason }) => reason)).toContain('ScalingLimited');
});

test('if the workers of a tier cannot start, demand moves to the next tier, and returns when workers of the first tier can start', async () => {
  const { harness, revision } = createTiered();
  harness.breakRevision(`${revision}/reserved`, pending);
  harness.load({ active: 0, waiting: 15 });
  await harness.tick(2);
  expect(harness.tiers()).toEqual({ reserved: { ready: 0, running: 2 }, spot: { ready: 2, running: 2 } });
  expect(harness.growth()).toMatchObject({ canGrow: true });
  expect(harness.pool.status().startFailure).toBeUndefined();
  expect(harness.pool.status().tiers?.[0]?.startFailure).toEqual(pending);

  harness.load({ active: 15, waiting: 0 });
  harness.occupy(7, 'spot');
  harness.mendRevision(`${revision}/reserved`);
  await harness.tick(3);
  // Streams do not move to the preferred tier.
  expect(harness.tiers()).toEqual({ reserved: { ready: 2, running: 2 }, spot: { ready: 2, running: 2 } });
  expect(sizes(harness)).toEqual({ reserved: 2, spot: 0, cpu: 0 });
  harness.occupy(0, 'spot');
  await harness.tick(3);
  expect(harness.tiers()).toEqual({ reserved: { ready: 2, running: 2 } });
});

test('workers of a tier that was used as overflow keep running until workers of the preferred tier are ready', async () => {
  const { harness, revision } = createTiered();
  harness.breakRevision(`${revision}/reserved`, pending);
  harness.load({ active: 8 });
  await harness.tick(2);
  expect(sizes(harness)).toEqual({ reserved: 1, spot: 1, cpu: 0 });
  harness.mendRevision(`${revision}/reserved`);
  harness.crash(revision, 1);
  harness.holdBack(`${revision}/reserved`, pending);
  await harness.tick(3);
  expect(harness.tiers()).toMatchObject({ spot: { ready: 1 } });
  harness.mendRevision(`${revision}/reserved`);
  await harness.tick(3);
  expect(harness.tiers()).toEqual({ reserved: { ready: 1, running: 1 } });
});

test('a tier whose slots are unknown starts only one worker, and until these slots are known, no other tier starts workers', async () => {
  const tiers = [RESERVED, CPU].map(({ slots: _, ...tier }) => tier);
  const { harness, revision } = createTiered(spec(tiers));
  harness.holdBack(`${revision}/reserved`, pending);
  harness.load({ waiting: 30 });
  await harness.tick(3);
  expect(sizes(harness)).toEqual({ reserved: 1, cpu: 0 });
  expect(harness.growth()).toEqual({ canGrow: true, growth: 'provisioning', tiers: ['reserved', 'cpu'] });
  harness.mendRevision(`${revision}/reserved`);
  await harness.tick(3);
  expect(sizes(harness)).toEqual({ reserved: 2, cpu: 4 });
  const measured = harness.pool.status().measuredSlots.map(({ pool, slots }) => [pool, slots]);
  expect(measured).toEqual(
    expect.arrayContaining([
      ['reserved', 10],
      ['cpu', 2],
    ]),
  );
});

test('each tier runs at least its minimum number of workers', async () => {
  const { harness } = createTiered(
    spec([
      { ...RESERVED, min: 1 },
      { ...CPU, min: 2 },
    ]),
  );
  await harness.tick(2);
  expect(harness.tiers()).toEqual({ reserved: { ready: 1, running: 1 }, cpu: { ready: 2, running: 2 } });
});

test('a change of the priority or size of a tier starts no rollout', async () => {
  const { harness, revision } = createTiered();
  const other = harness.set(spec([{ ...CPU, priority: 20, max: 9 }, SPOT, RESERVED]));
  expect(other).toBe(revision);
  await harness.tick(1);
  expect(harness.growth()?.tiers).toEqual(['cpu', 'reserved', 'spot']);
});

test('a rollout replaces the workers of every tier, and a rollback keeps the previous revision in every tier', async () => {
  const { harness, revision } = createTiered();
  harness.load({ active: 35 });
  await harness.tick(3);
  const next = harness.set(spec(undefined, { worker: { image: 'worker:2' }, drainSeconds: 330 }));
  await harness.tick(20);
  expect([harness.ready(revision), harness.ready(next)]).toEqual([0, 4]);
  expect(harness.pool.status().rollout?.phase).toBe('Steady');

  const bad = harness.set(spec(undefined, { worker: { image: 'worker:3' }, rollout: { startSeconds: 5 } }));
  for (const tier of ['reserved', 'spot', 'cpu']) harness.breakRevision(`${bad}/${tier}`, pending);
  await harness.tick(30);
  expect(harness.pool.status().rollout?.phase).toBe('RolledBack');
  expect([harness.ready(next), harness.ready(bad)]).toEqual([4, 0]);
  harness.load({ active: 43 });
  await harness.tick(3);
  expect(sizes(harness)).toEqual({ reserved: 2, spot: 2, cpu: 2 });
  expect(harness.tiers()).toMatchObject({ cpu: { ready: 2 } });
});

test('a rollout without surge replaces single-worker tiers one after the other, and a canary never serves alone', async () => {
  const pools = [RESERVED, SPOT, CPU].map((tier) => ({ ...tier, min: 1, max: 1 }));
  const { harness, revision } = createTiered(spec(pools));
  await harness.tick(3);
  const limits = { maxSurge: 0, canaryPercent: 50, windowSeconds: 60 };
  const next = harness.set(spec(pools, { worker: { image: 'worker:2' }, rollout: limits }));
  const fewest: number[] = [];
  const tick = async (times: number) => {
    for (let at = 0; at < times; at++) {
      await harness.tick(1);
      fewest.push(harness.ready(revision) + harness.ready(next));
    }
  };
  await tick(40);
  expect(harness.pool.status().rollout?.phase).toBe('Canary');
  expect([harness.ready(revision), harness.ready(next)]).toEqual([1, 2]);
  await tick(60);
  expect([harness.pool.status().rollout?.phase, harness.ready(next)]).toEqual(['Steady', 3]);
  expect(Math.min(...fewest)).toBe(2);
});

test('if a pool without tiers shrinks to one worker during a canary without surge, at least one worker is always ready', async () => {
  const harness = createPoolHarness();
  const own = { scaling: { ...scaling, max: 2 } };
  const revision = harness.set({ ...own, worker: { slots: 1 }, rollout });
  harness.load({ active: 2 });
  await harness.tick(3);
  const limits = { maxSurge: 0, canaryPercent: 50, windowSeconds: 60 };
  const next = harness.set({ ...own, worker: { slots: 1, image: 'worker:2' }, rollout: limits });
  await harness.tick(10);
  expect([harness.ready(revision), harness.ready(next)]).toEqual([1, 1]);
  harness.load({ active: 1 });
  for (let tick = 0; tick < 10; tick++) {
    await harness.tick();
    expect(harness.ready(revision) + harness.ready(next)).toBeGreaterThanOrEqual(1);
  }
  expect(harness.pool.status().rollout?.phase).toBe('Canary');
});

test('a rollout is rolled back after startSeconds if its workers fail to start in one tier only', async () => {
  const pools = [RESERVED, CPU].map((tier) => ({ ...tier, min: 1 }));
  const { harness, revision } = createTiered(spec(pools));
  await harness.tick(3);
  const next = harness.set(spec(pools, { worker: { image: 'worker:2' }, rollout: { ...rollout, startSeconds: 60 } }));
  harness.breakRevision(`${next}/reserved`, pending);
  await harness.tick(40);
  expect(harness.pool.status().rollout?.phase).toBe('Rolling');
  await harness.tick(40);
  expect(harness.pool.status().rollout).toMatchObject({
    phase: 'RolledBack',
    message: expect.stringContaining('no worker of tier reserved was ready within 60 s: no node has a free GPU'),
  });
  expect([harness.ready(revision), harness.ready(next)]).toEqual([2, 0]);
  expect(harness.tiers()).toEqual({ reserved: { ready: 1, running: 1 }, cpu: { ready: 1, running: 1 } });
});

test.each([0, 20])(
  'a rollout with canaryPercent %i completes if the workers of both revisions fail to start in the same tier',
  async (canaryPercent) => {
    const pools = [RESERVED, CPU].map((tier) => ({ ...tier, min: 1 }));
    const { harness, revision } = createTiered(spec(pools));
    harness.breakRevision(`${revision}/reserved`, pending);
    await harness.tick(3);
    const limits = { windowSeconds: 30, canaryPercent, startSeconds: 60 };
    const next = harness.set(spec(pools, { worker: { image: 'worker:2' }, rollout: limits }));
    harness.breakRevision(`${next}/reserved`, pending);
    await harness.tick(100);
    expect(harness.pool.status().rollout).toMatchObject({ phase: 'Steady', message: `revision ${next}` });
    expect(harness.tiers()).toEqual({ reserved: { ready: 0, running: 1 }, cpu: { ready: 1, running: 1 } });
  },
);

test.each([
  ['the only tier gets another name', [RESERVED], [{ ...RESERVED, name: 'other' }], { reserved: 2, other: 1 }],
  ['a preferred tier is added', [CPU], [CPU, RESERVED], { reserved: 1, cpu: 4 }],
])(
  'a canary keeps workers of the stable revision during windowSeconds if %s',
  async (_condition, before, after, during) => {
    const { harness } = createTiered();
    harness.tierSlots.set('other', 10);
    const revision = harness.set(spec(before));
    harness.load({ active: before[0] === CPU ? 8 : 15 });
    await harness.tick(3);
    const next = harness.set(
      spec(after, { worker: { image: 'worker:2' }, rollout: { canaryPercent: 20, windowSeconds: 60 } }),
    );
    await harness.tick(40);
    expect(harness.pool.status().rollout?.phase).toBe('Canary');
    expect(Object.fromEntries(Object.entries(harness.tiers()).map(([tier, { ready }]) => [tier, ready]))).toEqual(
      during,
    );
    expect(harness.ready(revision)).toBeGreaterThanOrEqual(2);
    await harness.tick(60);
    expect([harness.pool.status().rollout?.phase, harness.ready(revision)]).toEqual(['Steady', 0]);
    expect(harness.ready(next)).toBeGreaterThanOrEqual(1);
  },
);

test('when a model without tiers gets tiers, workers start only in the tiers that need them', async () => {
  const { harness } = createTiered();
  harness.tierSlots.set('', 10);
  harness.set({ worker: { slots: 10 }, scaling, rollout });
  harness.load({ active: 15 });
  await harness.tick(3);
  harness.set(spec(undefined, { rollout: { canaryPercent: 20, windowSeconds: 60 } }));
  const running = [];
  for (let tick = 0; tick < 5; tick++) {
    await harness.tick();
    running.push(harness.tiers());
  }
  expect(running[0]).toEqual({ '': { ready: 2, running: 2 } });
  expect(running.at(-1)).toEqual({ '': { ready: 2, running: 2 }, reserved: { ready: 1, running: 1 } });
  expect(running.flatMap((tiers) => Object.keys(tiers))).not.toEqual(expect.arrayContaining(['cpu']));
});

test('after the removal of all tiers was rolled back, a pool that has scaled to zero starts workers in its tiers again', async () => {
  const { harness, revision } = createTiered();
  harness.load({ active: 15 });
  await harness.tick(3);
  const bad = harness.set({ worker: { slots: 10 }, scaling, rollout: { startSeconds: 5 } });
  harness.breakRevision(bad, pending);
  await harness.tick(20);
  expect(harness.pool.status().rollout?.phase).toBe('RolledBack');
  harness.load({ active: 0 });
  await harness.tick(5);
  expect(harness.tiers()).toEqual({});
  harness.load({ active: 15 });
  await harness.tick(5);
  expect(harness.tiers()).toEqual({ reserved: { ready: 2, running: 2 } });
  expect(harness.ready(revision)).toBe(2);
});

test('when a model gets tiers or loses them, its old workers serve until the new workers are ready', async () => {
  const { harness } = createTiered();
  harness.tierSlots.set('', 10);
  const plain = harness.set({ worker: { slots: 10 }, scaling: { ...scaling, max: 5 }, rollout });
  harness.load({ active: 25 });
  await harness.tick(3);
  expect(harness.ready(plain)).toBe(3);

  const tiered = harness.set(spec());
  for (const tier of ['reserved', 'spot', 'cpu']) harness.holdBack(`${tiered}/${tier}`, pending);
  await harness.tick(5);
  expect(harness.ready(plain)).toBe(3);
  for (const tier of ['reserved', 'spot', 'cpu']) harness.mendRevision(`${tiered}/${tier}`);
  await harness.tick(10);
  expect(harness.tiers()).toEqual({ reserved: { ready: 2, running: 2 }, spot: { ready: 1, running: 1 } });

  const last = harness.set({ worker: { slots: 10 }, scaling: { ...scaling, max: 5 }, rollout });
  harness.holdBack(last, pending);
  await harness.tick(5);
  expect(harness.ready(tiered)).toBe(3);
  harness.mendRevision(last);
  await harness.tick(20);
  expect(harness.tiers()).toEqual({ '': { ready: 3, running: 3 } });
  expect(harness.desired().tierCounts).toBeUndefined();
});

test('no tier loses workers while the ledger is unavailable, and the workers of a deleted model all stop', async () => {
  const { harness } = createTiered();
  harness.load({ active: 35 });
  await harness.tick(3);
  const before = harness.tiers();
  harness.setLedgerError(new LedgerUnavailable('down'));
  await harness.tick(50);
  expect(harness.tiers()).toEqual(before);
  expect(sizes(harness)).toEqual({ reserved: 2, spot: 2, cpu: 0 });
  harness.setLedgerError(undefined);
  harness.load({ active: 0 });
  harness.remove();
  await harness.tick(5);
  expect(harness.tiers()).toEqual({});
});

test.each([
  ['the slots that the tier sets', false, 20 + 2 * 10],
  ['the average slots that its workers offer now, if workers measure their slots', true, 20 + 2 * 4],
])('decideTierGrowth assumes that each further worker of a tier has %s', (_condition, measuresSlots, capacity) => {
  const worker = (slots: number) => ({ slots, active: 0 });
  const tier = { min: 0, slotsPerWorker: 10, canStart: true, startFailure: undefined, measuresSlots };
  const full = { ...tier, name: 'full', max: 1, running: 1, workers: [worker(12)] };
  const growing = { ...tier, name: 'growing', max: 4, running: 2, workers: [worker(3), worker(5)] };
  const growth = decideTierGrowth([full, growing], createPoolView(), []);
  expect(growth).toEqual({ canGrow: true, capacity, tiers: ['full', 'growing'] });
});
