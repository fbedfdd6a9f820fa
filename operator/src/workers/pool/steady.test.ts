import { createPoolHarness } from '../../testing/pool-harness.ts';
import type { PoolHarness } from '../../testing/pool-harness.ts';

/** Has it rest for nearly as long as it may before it is looked at. */
const restAfresh = async (world: PoolHarness) => {
  world.pool.wake();
  await world.tick();
  const resting = world.pool.status();
  await world.tick(9);
  expect(world.pool.status()).toBe(resting);
};
const steady = { worker: { image: 'worker:1', slots: 1 }, scaling: { min: 2, max: 4 } };

test('a pool that nothing happens to is the same one to everybody who asks, and another one after a change', async () => {
  const world = createPoolHarness();
  world.set(steady);
  await world.tick(3);
  const before = world.pool.status();
  await world.tick(5);
  expect(world.pool.status()).toBe(before);
  world.set({ ...steady, scaling: { min: 3, max: 4 } });
  await world.tick(3);
  expect(world.pool.status()).toMatchObject({ desired: 3, ready: 3 });
});

test('a pool at rest is looked at again when it is woken, and after a while all the same', async () => {
  const world = createPoolHarness();
  world.set(steady);
  await world.tick(3);
  const first = world.pool.status();
  world.pool.wake();
  await world.tick();
  const second = world.pool.status();
  expect(second).not.toBe(first);
  await world.tick(1, 10_000);
  expect(world.pool.status()).not.toBe(second);
});

test('a pool that waits for its time is not at rest: it goes to its minimum when it has come', async () => {
  const world = createPoolHarness();
  world.set({ ...steady, scaling: { min: 4, max: 4 } });
  await world.tick(3);
  world.set({ ...steady, scaling: { min: 1, max: 4, scaleDownDelaySeconds: 5, idleToZeroSeconds: 5 } });
  await world.tick(10);
  expect(world.pool.status()).toMatchObject({ desired: 1, running: 1 });
});

test('while it rests time passes as if it were looked at: it keeps what was needed for the whole of its delay', async () => {
  const world = createPoolHarness();
  world.set({ ...steady, scaling: { min: 0, max: 4, bufferSessions: 0, bufferPercent: 0, scaleDownDelaySeconds: 20 } });
  world.load({ active: 4 });
  await world.tick(5);
  await restAfresh(world);
  world.load({ active: 1 });
  await world.tick(19);
  expect(world.pool.status().desired).toBe(4);
  await world.tick(2);
  expect(world.pool.status().desired).toBe(1);
});

test('nor is its last demand longer ago than it was: it goes to its minimum after the whole of its time', async () => {
  const world = createPoolHarness();
  const scaling = { min: 0, max: 4, bufferSessions: 0, bufferPercent: 0, scaleDownDelaySeconds: 0 };
  world.set({ ...steady, scaling: { ...scaling, bufferSessions: 1, idleToZeroSeconds: 20 } });
  world.load({ active: 1 });
  await world.tick(5);
  await restAfresh(world);
  world.load({ active: 0 });
  await world.tick(19);
  expect(world.pool.status().desired).toBe(1);
  await world.tick(2);
  expect(world.pool.status().desired).toBe(0);
});

test('a pool whose sessions wait beside free slots is not at rest: another worker comes soon', async () => {
  const world = createPoolHarness();
  world.set(steady);
  await world.tick(3);
  world.load({ waiting: 1 });
  await world.tick(4);
  expect(world.pool.status()).toMatchObject({ desired: 3, running: 3 });
});
