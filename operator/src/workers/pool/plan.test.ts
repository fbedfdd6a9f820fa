import type { WorkerRecord } from '@svc-asr/ledger';
import { planPool } from './plan.ts';
import type { PlanInput } from './plan.ts';

const running = (id: string, changes: { revision?: string; stopping?: boolean; ageMs?: number } = {}) => ({
  id,
  model: 'm',
  revision: 'new',
  ageMs: 0,
  stopping: false,
  ...changes,
});
const record = (id: string, changes: Partial<WorkerRecord> = {}): WorkerRecord => ({
  id,
  address: 'ws://x',
  revision: 'new',
  slots: 2,
  active: 0,
  draining: false,
  leaseUntilMs: 0,
  ...changes,
});
const plan = (changes: Partial<PlanInput>) =>
  planPool({
    desired: 2,
    revision: 'new',
    rollout: { maxSurge: '10%', maxUnavailable: 0 },
    running: [],
    registered: [],
    lostSinceMs: new Map(),
    drainedAtMs: new Map(),
    sickSinceMs: new Map(),
    limits: { drainMs: 1000, lostMs: 500, startMs: 5000, provisionMs: 8000 },
    nowMs: 10_000,
    ...changes,
  });
const NOTHING = { drain: [], stop: [] };

test('planPool changes nothing in a pool that has the desired workers', () => {
  expect(plan({ running: [running('a'), running('b')], registered: [record('a'), record('b')] })).toEqual({
    ensure: 2,
    ...NOTHING,
  });
});

test('planPool counts unmanaged workers and never drains or stops them', () => {
  expect(plan({ registered: [record('x'), record('y'), record('z')] })).toEqual({ ensure: 0, ...NOTHING });
  expect(plan({ registered: [record('x')] }).ensure).toBe(1);
});

test('planPool drains an idle worker beyond the desired number, but stops it without draining if it has not registered', () => {
  const workers = { running: [running('a'), running('b'), running('c')] };
  const registered = [record('a', { active: 1 }), record('b'), record('c', { active: 1 })];
  expect(plan({ ...workers, registered })).toEqual({ ensure: 2, drain: ['b'], stop: [] });
  const starting = [record('a'), record('b')];
  expect(plan({ ...workers, registered: starting })).toEqual({ ensure: 2, drain: [], stop: [{ id: 'c' }] });
});

test('planPool neither drains nor stops workers of the wanted revision while Kubernetes is replacing them, even if the pool has too many', () => {
  const pinned = (id: string) => ({ ...running(id), pinned: true });
  const workers = { running: [pinned('a'), pinned('b'), pinned('c')], registered: [record('a'), record('b')] };
  expect(plan(workers)).toEqual({ ensure: 2, ...NOTHING });
});

test('planPool shrinks the pool even while a pod that Kubernetes created as a replacement is not ready', () => {
  const workers = [running('a'), running('b'), { ...running('next'), pinned: true }];
  const registered = [record('a'), record('b', { active: 1 })];
  expect(plan({ running: workers, registered })).toEqual({ ensure: 2, ...NOTHING });
  expect(plan({ desired: 1, running: workers, registered })).toEqual({ ensure: 1, drain: ['a'], stop: [] });
});

test('planPool removes all workers of a revision that is not needed, even while Kubernetes is replacing them', () => {
  const pinned = (id: string) => ({ ...older(id), pinned: true });
  const registered = [record('a'), record('b')];
  const left = [pinned('a'), pinned('b'), pinned('next')];
  const allLeave = { drain: ['a', 'b'], stop: [{ id: 'next' }] };
  expect(plan({ desired: 0, revision: '', running: left, registered })).toMatchObject(allLeave);
  const taken = [running('c'), running('d')];
  expect(plan({ running: [...taken, ...left], registered: [...registered, record('c'), record('d')] })).toMatchObject(
    allLeave,
  );
});

test('planPool stops a draining worker when it has no streams or its drain timeout has passed, and starts no replacement', () => {
  const workers = { desired: 1, running: [running('a'), running('b')] };
  const drains = (active: number, draining: boolean, drainedAtMs: number) =>
    plan({
      ...workers,
      registered: [record('a'), record('b', { active, draining })],
      drainedAtMs: new Map([['b', drainedAtMs]]),
    });
  expect(drains(1, true, 9500)).toEqual({ ensure: 2, ...NOTHING });
  expect(drains(0, true, 9500)).toEqual({ ensure: 1, drain: [], stop: [{ id: 'b' }] });
  expect(drains(1, true, 9000)).toEqual({ ensure: 1, drain: [], stop: [{ id: 'b' }] });
});

test('planPool drains a worker again if it lost its lease while draining and then registered again', () => {
  const workers = { desired: 1, running: [running('a'), running('b')], drainedAtMs: new Map([['b', 9999]]) };
  expect(plan({ ...workers, registered: [record('a'), record('b')] })).toEqual({ ensure: 2, drain: ['b'], stop: [] });
});

test('planPool starts a replacement at once for a worker that lost its lease, and stops the worker if the lease stays lost for lostMs', () => {
  const workers = { desired: 1, running: [running('a')], registered: [] };
  expect(plan({ ...workers, lostSinceMs: new Map([['a', 9900]]) })).toEqual({ ensure: 2, ...NOTHING });
  expect(plan({ ...workers, lostSinceMs: new Map([['a', 9500]]) })).toEqual({
    ensure: 1,
    drain: [],
    stop: [{ id: 'a', failure: 'does not renew its lease and seems to hang' }],
  });
});

test('if nodes are unknown, planPool replaces one sick worker at a time, and stops the sick worker when its replacement is ready', () => {
  const sick = (id: string) => ({ ...running(id), sickness: 'ended with status 1' });
  const workers = { running: [running('a'), sick('b')], registered: [record('a')] };
  const stop = [{ id: 'b', failure: 'ended with status 1' }];
  expect(plan(workers)).toEqual({ ensure: 3, ...NOTHING, sick: ['b'] });
  const starting = { ...workers, running: [...workers.running, sick('c')] };
  expect(plan(starting)).toEqual({ ensure: 3, ...NOTHING, sick: ['b', 'c'] });
  const replaced = { running: [...workers.running, running('c')], registered: [record('a'), record('c')] };
  expect(plan(replaced)).toEqual({ ensure: 2, drain: [], stop, sick: ['b'] });
});

describe('planPool with several sick workers', () => {
  const sick = (id: string, node: string) => ({ ...running(id), node, sickness: 'crashed' });
  const healthy = (id: string) => running(id, { ageMs: 4000 });
  const others = [healthy('a'), healthy('b')];
  const replacement = (id: string) => running(id, { ageMs: 100 });
  const desired = 5;
  const stopped = (input: Parameters<typeof plan>[0]) => plan(input).stop.map(({ id }) => id);

  test('replaces all sick workers of one node at the same time, and stops one of them for each replacement that is ready', () => {
    const workers = [...others, sick('x', 'n1'), sick('y', 'n1'), sick('z', 'n1')];
    const input = { desired, running: workers, registered: [record('a'), record('b')] };
    expect(plan(input)).toEqual({ ensure: 8, ...NOTHING, sick: ['x', 'y', 'z'] });
    const started = [...workers, replacement('c'), replacement('d'), replacement('e')];
    expect(plan({ ...input, running: started })).toEqual({ ensure: 8, ...NOTHING, sick: ['x', 'y', 'z'] });
    const registered = [...input.registered, record('c')];
    expect(plan({ ...input, running: started, registered })).toMatchObject({ ensure: 7, stop: [{ id: 'x' }] });
    const all = [...registered, record('d'), record('e')];
    expect(stopped({ ...input, running: started, registered: all })).toEqual(['x', 'y', 'z']);
  });

  test('replaces the sick workers of a second node after the replacements for the first node are ready', () => {
    const workers = [...others, sick('x', 'n2'), sick('y', 'n1'), sick('z', 'n1')];
    const sickSinceMs = new Map(Object.entries({ x: 9000, y: 8000, z: 8500 }));
    const input = { desired, running: workers, registered: [record('a'), record('b')], sickSinceMs };
    expect(plan(input)).toEqual({ ensure: 7, ...NOTHING, sick: ['x', 'y', 'z'] });
    const started = [...workers, replacement('c'), replacement('d')];
    const registered = [...input.registered, record('c'), record('d')];
    expect(stopped({ ...input, running: started, registered })).toEqual(['y', 'z']);
    const left = started.filter(({ id }) => id !== 'y' && id !== 'z');
    expect(plan({ ...input, running: left, registered })).toEqual({ ensure: 6, ...NOTHING, sick: ['x'] });
  });

  test('does not count a sick worker of another node as a replacement, even if it is still registered', () => {
    const workers = [running('a'), running('b'), sick('x', 'n1'), { ...sick('d', 'n2'), ageMs: 100 }];
    const sickSinceMs = new Map(Object.entries({ x: 8000, d: 9900 }));
    const registered = ['a', 'b', 'd'].map((id) => record(id));
    expect(plan({ desired: 4, running: workers, registered, sickSinceMs })).toMatchObject({ stop: [] });
  });

  test('stops only the worker that has been sick for too long if there is one ready replacement for two sick workers', () => {
    const workers = [...others, healthy('c'), sick('x', 'n1'), sick('y', 'n1')];
    const sickSinceMs = new Map(Object.entries({ x: -1_000_000, y: 9000 }));
    const registered = ['a', 'b', 'c'].map((id) => record(id));
    const { stop } = plan({ desired: 4, running: workers, registered, sickSinceMs });
    expect(stop.map(({ id }) => id)).toEqual(['x']);
  });

  test('starts no further replacements and stops no worker while the first replacements are sick on another node', () => {
    const workers = [...others, healthy('c'), sick('x', 'n1'), sick('y', 'n1')];
    const failed = [...workers, sick('d', 'n2'), sick('e', 'n2')];
    const sickSinceMs = new Map(Object.entries({ x: 8000, y: 8000, d: 9000, e: 9000 }));
    const input = { desired, running: failed, registered: ['a', 'b', 'c'].map((id) => record(id)), sickSinceMs };
    expect(plan(input)).toEqual({ ensure: 7, ...NOTHING, sick: ['x', 'y', 'd', 'e'] });
  });
});

test('planPool treats a worker that does not register in time as sick while other workers of its revision are ready', () => {
  const stop = [{ id: 'b', failure: 'did not register within 5 s' }];
  const late = running('b', { ageMs: 5000 });
  const workers = { running: [running('a'), late], registered: [record('a')] };
  expect(plan(workers)).toEqual({ ensure: 3, ...NOTHING, sick: ['b'] });
  const both = { running: [...workers.running, running('c', { ageMs: 5000 })], registered: [record('a')] };
  expect(plan(both)).toEqual({ ensure: 3, ...NOTHING, sick: ['b', 'c'] });
  const replaced = { running: [...workers.running, running('c')], registered: [record('a'), record('c')] };
  expect(plan(replaced)).toEqual({ ensure: 2, drain: [], stop, sick: ['b'] });
  expect(plan({ ...workers, registered: [record('a', { draining: true })] }).stop).toEqual(stop);
});

test('planPool stops a sick worker that was not replaced within half of provisionMs', () => {
  const workers = {
    running: [running('a'), { ...running('b'), sickness: 'crashed' }, running('c')],
    registered: [record('a')],
  };
  const sickSince = (sinceMs: number) => plan({ ...workers, sickSinceMs: new Map([['b', sinceMs]]), nowMs: 10_000 });
  expect(sickSince(6001)).toEqual({ ensure: 3, ...NOTHING, sick: ['b'] });
  expect(sickSince(6000)).toMatchObject({ ensure: 2, stop: [{ id: 'b' }] });
});

test('in a rollout without surge, planPool makes room by stopping a sick worker of the stable revision', () => {
  const old = (id: string) => running(id, { revision: 'old' });
  const input = {
    stable: { revision: 'old', percent: 100 },
    rollout: { maxSurge: 0, maxUnavailable: 1 },
    running: [old('a'), { ...old('b'), sickness: 'crashed' }],
    registered: [record('a', { revision: 'old' })],
  };
  expect(plan(input)).toMatchObject({ ensure: 0, stop: [] });
  expect(plan({ ...input, sickSinceMs: new Map([['b', 0]]) }).stop).toMatchObject([{ id: 'b' }]);
});

test('planPool stops a worker that does not register in time and reports it as failed', () => {
  const workers = { desired: 1, registered: [] };
  expect(plan({ ...workers, running: [running('a', { ageMs: 4999 })] })).toEqual({ ensure: 1, ...NOTHING });
  expect(plan({ ...workers, running: [running('a', { ageMs: 5000 })] }).stop).toEqual([
    { id: 'a', failure: 'did not register within 5 s' },
  ]);
});

test('in a rollout with a surge of one worker, planPool starts one new worker, and starts another new worker after a drained old worker has ended', () => {
  const old = (id: string) => running(id, { revision: 'old' });
  const atStart = { running: [old('a'), old('b')], registered: [record('a'), record('b')] };
  expect(plan(atStart)).toEqual({ ensure: 1, ...NOTHING });
  const starts = { ...atStart, running: [...atStart.running, running('c')] };
  expect(plan(starts)).toEqual({ ensure: 1, ...NOTHING });
  const up = { ...starts, registered: [record('a', { active: 1 }), record('b'), record('c')] };
  expect(plan(up)).toEqual({ ensure: 1, drain: ['b'], stop: [] });
  const ended = { running: [old('a'), running('c')], registered: [record('a', { active: 1 }), record('c')] };
  expect(plan(ended)).toEqual({ ensure: 2, ...NOTHING });
});

/**
 * Applies plans until all workers are replaced. Returns the revisions of the final workers, the highest number of
 * workers at a time, and the lowest number of ready ones.
 */
function simulateRollout(rollout: PlanInput['rollout'], desired: number, percent: number) {
  let workers = Array.from({ length: desired }, (_, at) => running(`o${at}`, { revision: 'old' }));
  const drainedAtMs = new Map<string, number>();
  const seen = { steps: 0, most: desired, fewestReady: desired };
  const isReplaced = () => workers.length === desired && workers.every(({ revision }) => revision === 'new');
  for (; seen.steps < 100 && !isReplaced(); seen.steps++) {
    const registered = workers.map(({ id, revision }) => record(id, { revision, draining: drainedAtMs.has(id) }));
    const next = plan({
      desired,
      stable: { revision: 'old', percent },
      rollout,
      running: workers,
      registered,
      drainedAtMs,
    });
    for (const id of next.drain) drainedAtMs.set(id, 9999);
    const stopped = new Set(next.stop.map(({ id }) => id));
    workers = workers.filter(({ id }) => !stopped.has(id));
    for (let count = workers.filter(({ revision }) => revision === 'new').length; count < next.ensure; count++) {
      workers.push(running(`n${seen.steps}-${count}`));
    }
    seen.most = Math.max(seen.most, workers.length);
    seen.fewestReady = Math.min(seen.fewestReady, workers.filter(({ id }) => !drainedAtMs.has(id)).length);
  }
  return { ...seen, left: workers.map(({ revision }) => revision) };
}

test.each([
  { maxSurge: 0, maxUnavailable: 0, desired: 1, most: 1, fewestReady: 0 },
  { maxSurge: 0, maxUnavailable: 0, desired: 4, most: 4, fewestReady: 3 },
  { maxSurge: 0, maxUnavailable: '50%', desired: 4, most: 4, fewestReady: 2 },
  { maxSurge: 1, maxUnavailable: 0, desired: 4, most: 5, fewestReady: 4 },
  { maxSurge: '50%', maxUnavailable: 1, desired: 4, most: 6, fewestReady: 3 },
])(
  'while planPool replaces $desired workers, at most $most run and at least $fewestReady are ready (maxSurge $maxSurge, maxUnavailable $maxUnavailable)',
  ({ maxSurge, maxUnavailable, desired, most, fewestReady }) => {
    const seen = simulateRollout({ maxSurge, maxUnavailable }, desired, 100);
    expect(seen.left).toEqual(Array.from({ length: desired }, () => 'new'));
    expect(seen).toMatchObject({ most, fewestReady });
  },
);

test('planPool drains the only worker of a pool to make room for a canary if the rollout allows no surge', () => {
  const workers = { desired: 1, stable: { revision: 'old', percent: 20 }, running: [older('a')] };
  const registered = [record('a')];
  const without = { maxSurge: 0, maxUnavailable: 0 };
  expect(plan({ ...workers, registered, rollout: without })).toEqual({
    ensure: 0,
    ensureStable: 0,
    drain: ['a'],
    stop: [],
  });
  expect(plan({ ...workers, registered }).drain).toEqual([]);
});

test('planPool stops workers of a rolled back revision that have not registered, so that their hardware becomes free', () => {
  const bad = running('x', { revision: 'bad' });
  const rollout = { maxSurge: 0, maxUnavailable: 0 };
  const stopped = plan({ desired: 1, hurried: true, rollout, running: [bad], registered: [] });
  expect(stopped).toEqual({ ensure: 0, drain: [], stop: [{ id: 'x' }] });
  const stopping = { desired: 1, hurried: true, rollout, running: [{ ...bad, stopping: true }], registered: [] };
  expect(plan(stopping)).toEqual({ ensure: 0, ...NOTHING });
  expect(plan({ desired: 1, hurried: true, rollout, running: [], registered: [] }).ensure).toBe(1);
});

test('while the ledger is unavailable, planPool still reports that a worker is sick if it was sick before the outage', () => {
  const input = { running: [running('a'), running('b', { ageMs: 5000 })], sickSinceMs: new Map([['b', 0]]) };
  expect(plan({ ...input, registered: undefined }).sick).toEqual(['b']);
  expect(plan({ ...input, registered: [record('a'), record('b')] }).sick).toBeUndefined();
});

test('while the ledger is unavailable, planPool neither drains nor stops workers, but replaces workers that have ended', () => {
  const unread = { registered: undefined, lostSinceMs: new Map([['a', 0]]), drainedAtMs: new Map([['b', 0]]) };
  expect(plan({ ...unread, running: [running('a'), running('b'), running('c')] })).toEqual({ ensure: 2, ...NOTHING });
  expect(plan({ ...unread, running: [running('a', { revision: 'old' })] }).ensure).toBe(1);
});

const older = (id: string) => running(id, { revision: 'old' });
const stable = { revision: 'old', percent: 100 };

test('planPool starts missing workers of the stable revision during a rollout', () => {
  const atStart = { desired: 3, stable, running: [older('a')], registered: [record('a')] };
  expect(plan(atStart)).toEqual({ ensure: 1, ensureStable: 3, ...NOTHING });
  const up = { ...atStart, running: [older('a'), older('b'), older('c'), running('n')] };
  const registered = [record('a', { active: 1 }), record('b'), record('c', { active: 1 }), record('n')];
  expect(plan({ ...up, registered })).toEqual({ ensure: 1, ensureStable: 2, drain: ['b'], stop: [] });
});

test('with a maxSurge of 10%, planPool runs 10% more workers during a rollout, but starts all workers at once in a rollback', () => {
  const many = Array.from({ length: 40 }, (_, at) => `o${at}`);
  const atStart = { desired: 40, running: many.map(older), registered: many.map((id) => record(id)) };
  expect(plan({ ...atStart, stable }).ensure).toBe(4);
  expect(plan({ ...atStart, revision: 'third', hurried: true }).ensure).toBe(40);
});

test('planPool gives a canary its share of the workers, and keeps a worker of the stable revision as long as the pool needs any workers', () => {
  const canary = (desired: number, percent: number, olds: number, news: number) => {
    const names = [...Array.from({ length: olds }, (_, at) => `o${at}`)];
    const fresh = [...Array.from({ length: news }, (_, at) => `n${at}`)];
    const { ensure, ensureStable, drain } = plan({
      desired,
      stable: { revision: 'old', percent },
      running: [...names.map(older), ...fresh.map((id) => running(id))],
      registered: [...names, ...fresh].map((id) => record(id)),
    });
    return { ensure, ensureStable, drain: drain.length };
  };
  expect(canary(10, 20, 10, 0)).toEqual({ ensure: 1, ensureStable: 10, drain: 0 });
  expect(canary(10, 20, 10, 1)).toEqual({ ensure: 1, ensureStable: 9, drain: 1 });
  expect(canary(10, 20, 9, 1)).toEqual({ ensure: 2, ensureStable: 9, drain: 0 });
  expect(canary(10, 20, 9, 2)).toEqual({ ensure: 2, ensureStable: 8, drain: 1 });
  expect(canary(10, 20, 8, 2)).toEqual({ ensure: 2, ensureStable: 8, drain: 0 });
  expect(canary(1, 20, 1, 1)).toEqual({ ensure: 1, ensureStable: 1, drain: 0 });
  expect(canary(0, 20, 1, 1)).toEqual({ ensure: 0, ensureStable: 0, drain: 2 });
});

test('planPool removes workers of an abandoned revision as soon as the desired number of other workers is ready', () => {
  const abandoned = running('x', { revision: 'abandoned' });
  const workers = { desired: 2, stable, running: [older('a'), older('b'), abandoned] };
  expect(plan({ ...workers, registered: [record('a'), record('x')] }).drain).toEqual([]);
  expect(plan({ ...workers, registered: [record('a'), record('b'), record('x')] }).drain).toEqual(['x']);
});

test('while a deleted model may finish its streams, planPool removes only its workers without streams', () => {
  const workers = { desired: 0, revision: '', running: [older('a'), older('b')] };
  const registered = [record('a', { active: 1 }), record('b')];
  expect(plan({ ...workers, registered, finishing: true }).drain).toEqual(['b']);
  expect(plan({ ...workers, registered, finishing: false }).drain).toEqual(['b', 'a']);
});

test('planPool drains a worker that registers only after it was asked to stop', () => {
  const workers = { running: [running('a'), running('b'), running('c', { stopping: true })] };
  const registered = [record('a'), record('b'), record('c')];
  expect(plan({ ...workers, registered })).toEqual({ ensure: 2, drain: ['c'], stop: [] });
  expect(plan({ ...workers, registered: [record('a'), record('b'), record('c', { draining: true })] })).toEqual({
    ensure: 2,
    ...NOTHING,
  });
});

describe('planPool, for workers on nodes that are cordoned or about to be removed,', () => {
  const noticed = (id: string, kind: 'removal' | 'cordon') => ({ ...running(id), notice: { kind, reason: 'taint x' } });

  test('drains workers at once if their node is about to be removed, and starts replacements', () => {
    const workers = [noticed('a', 'removal'), running('b')];
    const registered = [record('a', { active: 2 }), record('b', { active: 2 })];
    expect(plan({ running: workers, registered })).toEqual({ ensure: 3, drain: ['a'], stop: [] });
  });

  test('stops workers without draining if their node is about to be removed and they have not registered', () => {
    const workers = [noticed('a', 'removal'), running('b')];
    expect(plan({ running: workers, registered: [record('b')] })).toEqual({
      ensure: 2,
      drain: [],
      stop: [{ id: 'a' }],
    });
  });

  test('drains one worker of a cordoned node for each replacement that becomes ready, and none before', () => {
    const cordoned = [noticed('a', 'cordon'), noticed('b', 'cordon')];
    const registered = [record('a', { active: 2 }), record('b', { active: 1 })];
    expect(plan({ running: cordoned, registered })).toEqual({ ensure: 4, ...NOTHING });
    const others = [...cordoned, running('c'), running('d')];
    expect(plan({ running: others, registered })).toEqual({ ensure: 4, ...NOTHING });
    const oneReady = [...registered, record('c')];
    expect(plan({ running: others, registered: oneReady })).toEqual({ ensure: 4, drain: ['b'], stop: [] });
    const bothReady = [...oneReady, record('d')];
    expect(plan({ running: others, registered: bothReady })).toEqual({ ensure: 4, drain: ['b', 'a'], stop: [] });
  });

  test('drains workers on a cordoned node first if the pool shrinks', () => {
    const workers = [running('a'), running('b'), noticed('c', 'cordon')];
    const registered = ['a', 'b', 'c'].map((id) => record(id, { active: 1 }));
    expect(plan({ running: workers, registered })).toEqual({ ensure: 3, drain: ['c'], stop: [] });
  });

  test('starts no extra replacement for a worker on a cordoned node if a rollout already replaces this worker', () => {
    const workers = [{ ...older('a'), notice: { kind: 'cordon' as const, reason: 'x' } }, running('b')];
    const stable = { revision: 'old', percent: 50 };
    const input = { stable, running: workers, registered: [record('a', { revision: 'old' }), record('b')] };
    expect(plan(input)).toEqual({ ensure: 1, ensureStable: 1, ...NOTHING });
  });
});
