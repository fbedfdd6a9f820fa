import { createPoolHarness } from '../../testing/pool-harness.ts';
import type { PoolHarness } from '../../testing/pool-harness.ts';

/** Ticks a steady pool for almost the time between two full reconciles. Checks that no full reconcile ran. */
const staySteady = async (harness: PoolHarness) => {
  harness.pool.markChanged();
  await harness.tick();
  const status = harness.pool.status();
  await harness.tick(9);
  expect(harness.pool.status()).toBe(status);
};
const steady = { worker: { image: 'worker:1', slots: 1 }, scaling: { min: 2, max: 4 } };

test('a steady pool returns the same status object between full reconciles, and a new object after the model of the pool has changed', async () => {
  const harness = createPoolHarness();
  harness.set(steady);
  await harness.tick(3);
  const before = harness.pool.status();
  await harness.tick(5);
  expect(harness.pool.status()).toBe(before);
  harness.set({ ...steady, scaling: { min: 3, max: 4 } });
  await harness.tick(3);
  expect(harness.pool.status()).toMatchObject({ desired: 3, ready: 3 });
});

test('a steady pool is reconciled fully after a change, and after 10 seconds without a change', async () => {
  const harness = createPoolHarness();
  harness.set(steady);
  await harness.tick(3);
  const first = harness.pool.status();
  harness.pool.markChanged();
  await harness.tick();
  const second = harness.pool.status();
  expect(second).not.toBe(first);
  await harness.tick(1, 10_000);
  expect(harness.pool.status()).not.toBe(second);
});

test('a pool without demand is not steady before its idle time has passed, and then shrinks to its minimum', async () => {
  const harness = createPoolHarness();
  harness.set({ ...steady, scaling: { min: 4, max: 4 } });
  await harness.tick(3);
  harness.set({ ...steady, scaling: { min: 1, max: 4, scaleDownDelaySeconds: 5, idleToZeroSeconds: 5 } });
  await harness.tick(10);
  expect(harness.pool.status()).toMatchObject({ desired: 1, running: 1 });
});

test('a steady pool keeps its size for the whole scale-down delay after its load decreases', async () => {
  const harness = createPoolHarness();
  harness.set({
    ...steady,
    scaling: { min: 0, max: 4, bufferSessions: 0, bufferPercent: 0, scaleDownDelaySeconds: 20 },
  });
  harness.load({ active: 4 });
  await harness.tick(5);
  await staySteady(harness);
  harness.load({ active: 1 });
  await harness.tick(19);
  expect(harness.pool.status().desired).toBe(4);
  await harness.tick(2);
  expect(harness.pool.status().desired).toBe(1);
});

test('a steady pool shrinks to its minimum only after the whole idle time', async () => {
  const harness = createPoolHarness();
  const scaling = { min: 0, max: 4, bufferSessions: 0, bufferPercent: 0, scaleDownDelaySeconds: 0 };
  harness.set({ ...steady, scaling: { ...scaling, bufferSessions: 1, idleToZeroSeconds: 20 } });
  harness.load({ active: 1 });
  await harness.tick(5);
  await staySteady(harness);
  harness.load({ active: 0 });
  await harness.tick(19);
  expect(harness.pool.status().desired).toBe(1);
  await harness.tick(2);
  expect(harness.pool.status().desired).toBe(0);
});

test('a pool in which sessions wait although slots are free is not steady, and soon starts another worker', async () => {
  const harness = createPoolHarness();
  harness.set(steady);
  await harness.tick(3);
  harness.load({ waiting: 1 });
  await harness.tick(4);
  expect(harness.pool.status()).toMatchObject({ desired: 3, running: 3 });
});
