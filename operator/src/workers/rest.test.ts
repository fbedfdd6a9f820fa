import { createPoolWorld } from '../testing/pool-world.ts';

const steady = { worker: { image: 'worker:1', slots: 1 }, scaling: { min: 2, max: 4 } };

test('a pool that nothing happens to is the same one to everybody who asks, and another one after a change', async () => {
  const world = createPoolWorld();
  world.set(steady);
  await world.tick(3);
  const before = world.pool.standing();
  await world.tick(5);
  expect(world.pool.standing()).toBe(before);
  world.set({ ...steady, scaling: { min: 3, max: 4 } });
  await world.tick(3);
  expect(world.pool.standing()).toMatchObject({ desired: 3, ready: 3 });
});

test('a pool at rest is looked at again when it is woken, and after a while all the same', async () => {
  const world = createPoolWorld();
  world.set(steady);
  await world.tick(3);
  const first = world.pool.standing();
  world.pool.wake();
  await world.tick();
  const second = world.pool.standing();
  expect(second).not.toBe(first);
  await world.tick(1, 10_000);
  expect(world.pool.standing()).not.toBe(second);
});

test('a pool that waits for its time is not at rest: it goes to its minimum when it has come', async () => {
  const world = createPoolWorld();
  world.set({ ...steady, scaling: { min: 4, max: 4 } });
  await world.tick(3);
  world.set({ ...steady, scaling: { min: 1, max: 4, scaleDownDelaySeconds: 5, idleToZeroSeconds: 5 } });
  await world.tick(10);
  expect(world.pool.standing()).toMatchObject({ desired: 1, running: 1 });
});
