import { createPoolHarness } from '../../testing/pool-harness.ts';
import type { PoolHarness } from '../../testing/pool-harness.ts';
import { createRolloutMemory } from './rollout-memory.ts';

const rollout = { canaryPercent: 20, maxFailurePercent: 1, maxDeltaP95Ms: 500, windowSeconds: 60 };
const spec = (image: string, more: object = {}) => ({
  worker: { image, slots: 1 },
  scaling: { min: 10, max: 10 },
  rollout: { ...rollout, ...more },
});
const phase = (world: PoolHarness) => world.pool.status().rollout?.phase;

test('a new revision gets its share, is watched, and takes over', async () => {
  const world = createPoolHarness();
  const old = world.set(spec('worker:1'));
  await world.tick(3);
  expect([world.ready(old), world.weights()]).toEqual([10, { [old]: 100 }]);

  const next = world.set(spec('worker:2'));
  await world.tick(8);
  expect([phase(world), world.ready(old), world.ready(next)]).toEqual(['Canary', 8, 2]);
  expect(world.weights()).toEqual({ [next]: 20, [old]: 80 });
  expect(world.needed()).toEqual(expect.arrayContaining([old, next]));
  await world.tick(50);
  expect([world.ready(old), world.ready(next)]).toEqual([8, 2]);

  await world.tick(40);
  expect([phase(world), world.ready(old), world.ready(next)]).toEqual(['Steady', 0, 10]);
  expect(world.weights()).toEqual({ [next]: 100 });
  expect(world.needed()).toEqual([next]);
});

test('a canary that fails is taken back and not tried again, by the next operator neither', async () => {
  const memory = createRolloutMemory();
  const world = createPoolHarness(memory);
  const old = world.set(spec('worker:1'));
  await world.tick(3);
  const bad = world.set(spec('worker:2'));
  await world.tick(8);
  expect(phase(world)).toBe('Canary');
  world.count(bad, { streams: 30, failures: 6 });
  await world.tick(10);
  expect([phase(world), world.ready(old), world.ready(bad)]).toEqual(['RolledBack', 10, 0]);
  expect(world.weights()).toEqual({ [old]: 100 });
  expect(world.needed()).toEqual([old]);
  expect(world.lines.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
    expect.stringContaining(`revision ${bad} was rolled back: 6 of 30 streams failed`),
  ]);
  await world.tick(200);
  expect(world.ready(bad)).toBe(0);

  const after = createPoolHarness(memory);
  after.set(spec('worker:2'));
  await after.tick(5);
  expect(phase(after)).toBe('RolledBack');

  const good = world.set(spec('worker:3'));
  await world.tick(8);
  expect([phase(world), world.ready(good)]).toEqual(['Canary', 2]);
});

test('one that fails while it takes over is taken back too: the one before is started again', async () => {
  const world = createPoolHarness();
  const old = world.set(spec('worker:1', { canaryPercent: 0 }));
  await world.tick(3);
  const bad = world.set(spec('worker:2', { canaryPercent: 0 }));
  await world.tick(40);
  expect([phase(world), world.ready(old), world.ready(bad)]).toEqual(['Rolling', 0, 10]);
  world.count(bad, { streams: 30, failures: 6 });
  await world.tick(5);
  expect([phase(world), world.ready(old), world.ready(bad)]).toEqual(['RolledBack', 10, 0]);
});

test('one that does not start costs nothing: the one before carries on, and its standing says why', async () => {
  const world = createPoolHarness();
  const old = world.set(spec('worker:1'));
  await world.tick(3);
  const broken = world.set(spec('worker:2'));
  world.breakRevision(broken, { reason: 'ImagePullFailed', message: 'no such image' });
  await world.tick(100);
  expect([phase(world), world.ready(old), world.ready(broken)]).toEqual(['Starting', 10, 0]);
  expect(world.pool.status()).toMatchObject({ revision: old, startFailure: { reason: 'ImagePullFailed' } });
});

test('a pool without workers is served by the revision before while the new one does not start', async () => {
  const world = createPoolHarness();
  const empty = { scaling: { min: 0, max: 10 } };
  const old = world.set({ ...spec('worker:1'), ...empty });
  await world.tick(3);
  const broken = world.set({ ...spec('worker:2'), ...empty });
  world.breakRevision(broken, { reason: 'ImagePullFailed', message: 'no such image' });
  await world.tick(3);
  world.set({ ...spec('worker:2'), scaling: { min: 2, max: 10 } });
  await world.tick(3);
  expect([world.ready(old), world.ready(broken)]).toEqual([2, 0]);
});

test('a pool whose pods cannot be scheduled takes nobody beyond its slots, until they can', async () => {
  const world = createPoolHarness();
  const revision = world.set({ ...spec('worker:1'), scaling: { min: 2, max: 10 } });
  await world.tick(3);
  expect([world.ready(revision), world.canGrow()]).toEqual([2, true]);
  world.breakRevision(revision, { reason: 'Unschedulable', message: 'no node can take a worker' });
  world.set({ ...spec('worker:1'), scaling: { min: 4, max: 10 } });
  await world.tick();
  expect([world.ready(revision), world.canGrow()]).toEqual([2, false]);
  expect(world.pool.status()).toMatchObject({ running: 4, startFailure: { reason: 'Unschedulable' } });
  world.mendRevision(revision);
  await world.tick();
  expect([world.ready(revision), world.canGrow()]).toEqual([4, true]);
});

test('a pool at its maximum cannot grow', async () => {
  const world = createPoolHarness();
  const revision = world.set(spec('worker:1'));
  await world.tick(3);
  expect([world.ready(revision), world.canGrow()]).toEqual([10, false]);
});

test('a deleted model finishes its streams before its last workers go', async () => {
  const world = createPoolHarness();
  world.set(spec('worker:1'));
  await world.tick(3);
  world.occupy(1);
  world.remove();
  expect(await world.tick(5)).toBe(true);
  expect(world.pool.status().ready).toBe(10);
  world.occupy(0);
  expect(await world.tick(5)).toBe(false);
  expect(world.pool.status().running).toBe(0);
});

test('a deleted model whose streams do not end is drained when its time is up', async () => {
  const world = createPoolHarness();
  world.set(spec('worker:1'));
  await world.tick(3);
  world.occupy(1);
  world.remove();
  await world.tick(5, 100_000);
  expect(world.pool.status().ready).toBe(0);
});

test('what is to be written of its scale is told at every look, also that it is nothing any more', async () => {
  const world = createPoolHarness();
  world.set({ ...spec('worker:1'), scaling: { mode: 'External', min: 2, max: 10 } });
  await world.tick(3);
  expect(world.scale()).toMatchObject({ replicas: 2 });
  world.set(spec('worker:1'));
  await world.tick();
  expect(world.scale()).toBeUndefined();
  world.set({ ...spec('worker:1'), scaling: { mode: 'External', min: 2, max: 10 } });
  await world.tick();
  expect(world.scale()).toMatchObject({ replicas: 10 });
  world.remove();
  await world.tick();
  expect(world.scale()).toBeUndefined();
});
