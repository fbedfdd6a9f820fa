import { FakeKubeApi } from '../testing/fake-kube-api.ts';
import type { Fault } from '../testing/fake-kube-api.ts';
import { REFLECTOR_TIMES, settle, setUpReflector } from '../testing/reflector.ts';
import { KubernetesError } from '@svc-asr/kubernetes';
import { chooseTimeout } from './reflector.ts';

const cut = new KubernetesError(0, 'ECONNRESET', 'cut');
const ERROR_EVENT = (code: number, reason: string) => ({
  type: 'ERROR' as const,
  object: { kind: 'Status', apiVersion: 'v1', metadata: { name: '' }, code, reason, message: reason },
});

test('the reflector lists page by page, then follows each change', async () => {
  const { cluster, reflector, changes, relists, names } = setUpReflector();
  for (const name of ['a', 'b', 'c', 'd', 'e']) cluster.put(name);
  expect(reflector.synced()).toBe(false);
  await reflector.start();
  expect([reflector.synced(), names(), cluster.lists()]).toEqual([true, ['a', 'b', 'c', 'd', 'e'], 3]);
  await settle();
  changes.length = 0;
  cluster.put('f');
  cluster.put('a', { spec: { x: 1 } });
  cluster.remove('b');
  await settle();
  expect(changes).toEqual(['f', 'a', 'b']);
  expect(names()).toEqual(['a', 'c', 'd', 'e', 'f']);
  expect(reflector.get('a')).toMatchObject({ apiVersion: 'v1', kind: 'Pod', spec: { x: 1 } });
  expect(relists).toEqual(['start']);
  reflector.stop();
});

test('the reflector restarts a list that expires between two pages', async () => {
  const { cluster, reflector, names, pass } = setUpReflector();
  for (const name of ['a', 'b', 'c']) cluster.put(name);
  const { list } = cluster.api;
  let forgotten = false;
  cluster.api.list = async (type, options) => {
    const page = await list(type, options);
    if (!forgotten) cluster.forget();
    forgotten = true;
    return page;
  };
  const started = reflector.start();
  await pass(1000);
  await started;
  expect(names()).toEqual(['a', 'b', 'c']);
  expect(cluster.lists()).toBe(4);
  reflector.stop();
});

test('when the server ends a watch, the reflector continues from the last version without a list or a delay', async () => {
  const { cluster, reflector, names, pass, changes } = setUpReflector();
  cluster.put('a');
  await reflector.start();
  await pass(60_000, 10_000);
  cluster.put('b');
  await settle();
  changes.length = 0;
  cluster.cut();
  await settle();
  expect([cluster.watches(), cluster.openWatches()]).toEqual([2, 1]);
  cluster.put('c');
  await settle();
  expect([names(), changes, cluster.lists()]).toEqual([['a', 'b', 'c'], ['c'], 1]);
  reflector.stop();
});

test.each<[string, Fault]>([
  ['a 410 response to a watch', { on: 'watch', error: new KubernetesError(410, 'Expired', 'too old') }],
  ['an error event 410 in a watch', { on: 'watch', events: [ERROR_EVENT(410, 'Expired')] }],
])('the reflector lists again after %s, and reports objects that were deleted in between', async (_, fault) => {
  const { cluster, reflector, names, pass, changes, relists } = setUpReflector();
  for (const name of ['a', 'b', 'c']) cluster.put(name);
  await reflector.start();
  await pass(2000);
  cluster.freeze();
  cluster.remove('b');
  cluster.put('d');
  cluster.forget();
  changes.length = 0;
  cluster.faults.push(fault);
  cluster.cut();
  await pass(2000);
  expect(names()).toEqual(['a', 'c', 'd']);
  expect(changes.sort()).toEqual(['b', 'd']);
  expect(relists).toEqual(['start', 'expired']);
  reflector.stop();
});

test('the reflector detects and replaces a half-open connection', async () => {
  const { cluster, reflector, names, pass } = setUpReflector();
  await reflector.start();
  await settle();
  cluster.freeze();
  cluster.put('a');
  await pass(89_000, 1000);
  expect([names(), cluster.watches()]).toEqual([[], 1]);
  await pass(2000);
  expect([names(), cluster.watches(), cluster.openWatches(), cluster.lists()]).toEqual([['a'], 2, 1, 1]);
  reflector.stop();
});

test('the reflector does not replace a watch that receives bookmarks but no events', async () => {
  const { cluster, reflector, pass } = setUpReflector();
  await reflector.start();
  for (let minute = 0; minute < 5; minute++) {
    await pass(60_000, 10_000);
    cluster.bookmark();
    await settle();
  }
  expect(cluster.watches()).toBe(1);
  reflector.stop();
});

test('the reflector polls an unavailable API server slowly, logs the outage only once, and catches up when the server is back', async () => {
  const { cluster, reflector, names, pass, at } = setUpReflector();
  cluster.put('a');
  await reflector.start();
  await pass(5000);
  cluster.faults.push(...Array.from({ length: 1000 }, () => ({ on: 'watch' as const, error: cut })));
  cluster.cut(cut);
  await pass(60_000);
  const asked = cluster.watches();
  expect(asked).toBeGreaterThan(5);
  expect(asked).toBeLessThan(20);
  expect(at('warn')).toHaveLength(1);
  cluster.put('b');
  cluster.faults.length = 0;
  await pass(10_000);
  expect(names()).toEqual(['a', 'b']);
  await pass(2000);
  cluster.cut();
  await settle();
  expect(at('info').map(({ message }) => message)).toEqual(['pods are watched again']);
  reflector.stop();
});

test('after a 429 response, the reflector waits as long as its Retry-After header requires', async () => {
  const { cluster, reflector, pass } = setUpReflector();
  const busy = new KubernetesError(429, 'TooManyRequests', 'busy', { retryAfterMs: 30_000 });
  cluster.faults.push({ on: 'list', error: busy });
  void reflector.start();
  await settle();
  await pass(29_000, 1000);
  expect(cluster.lists()).toBe(1);
  await pass(2000);
  expect([cluster.lists(), reflector.synced()]).toEqual([2, true]);
  reflector.stop();
});

test('the reflector does not run into a hot loop if watches end right after their start', async () => {
  const { cluster, reflector, pass } = setUpReflector();
  await reflector.start();
  for (let second = 0; second < 60; second++) {
    await pass(1000);
    cluster.cut();
    await settle();
  }
  const { watch } = cluster.api;
  cluster.api.watch = (type, options) => {
    queueMicrotask(() => setImmediate(() => cluster.cut()));
    return watch(type, options);
  };
  const before = cluster.watches();
  await pass(60_000);
  expect(cluster.watches() - before).toBeLessThan(15);
  reflector.stop();
});

test('the reflector lists again after several consecutive error responses to its watches', async () => {
  const { cluster, reflector, pass, relists } = setUpReflector();
  await reflector.start();
  await settle();
  const tooLarge = new KubernetesError(504, 'Timeout', 'Too large resource version');
  cluster.faults.push(...[1, 2, 3].map(() => ({ on: 'watch' as const, error: tooLarge })));
  cluster.cut(tooLarge);
  await pass(10_000);
  expect(relists).toEqual(['start', 'failures']);
  reflector.stop();
});

test('the reflector lists again after relistMs, and so detects a deletion whose event was lost', async () => {
  const { cluster, reflector, pass, names, relists } = setUpReflector({
    times: { ...REFLECTOR_TIMES, relistMs: 600_000 },
  });
  cluster.put('a');
  await reflector.start();
  await settle();
  for (let minute = 0; minute < 9; minute++) {
    await pass(60_000, 60_000);
    cluster.bookmark();
    await settle();
  }
  cluster.freeze();
  cluster.remove('a');
  await pass(100_000, 10_000);
  expect([relists, names()]).toEqual([['start', 'periodic'], []]);
  reflector.stop();
});

test('an error that onChange throws is logged and does not end the reflector', async () => {
  const seen: string[] = [];
  const { cluster, reflector, at } = setUpReflector({
    onChange: (name) => {
      seen.push(name);
      throw new Error('an internal error');
    },
  });
  cluster.put('a');
  await reflector.start();
  await settle();
  cluster.put('b');
  await settle();
  expect([seen, at('error').length]).toEqual([['a', 'b'], 2]);
  reflector.stop();
});

test('the reflector drops managed fields by default, and with the option trim keeps only what trim() returns', async () => {
  const cluster = new FakeKubeApi();
  cluster.put('a', { metadata: { name: 'a', resourceVersion: '1', managedFields: [{}] }, spec: { big: true } });
  const all = setUpReflector({}, cluster);
  await all.reflector.start();
  expect(all.reflector.get('a')).toMatchObject({ metadata: { name: 'a' }, spec: { big: true } });
  expect(all.reflector.get('a')?.metadata).not.toHaveProperty('managedFields');
  const some = setUpReflector({ trim: ({ spec: _spec, ...rest }) => rest }, cluster);
  await some.reflector.start();
  expect(some.reflector.get('a')).not.toHaveProperty('spec');
  all.reflector.stop();
  some.reflector.stop();
});

test('a reflector that is stopped before its first list succeeds sends no more requests, and its start() resolves', async () => {
  const { cluster, reflector, pass } = setUpReflector();
  cluster.faults.push(...Array.from({ length: 100 }, () => ({ on: 'list' as const, error: cut })));
  const started = reflector.start();
  await pass(1000);
  reflector.stop();
  await started;
  const asked = cluster.lists();
  await pass(60_000, 1000);
  expect([cluster.lists(), reflector.synced(), cluster.openWatches()]).toEqual([asked, false, 0]);
});

test.each([
  [0, 0, 300],
  [0.999_999, 0, 600],
  [0.5, 3_500_000, 100],
  [0.5, 3_599_900, 1],
])(
  'chooseTimeout returns a random timeout that ends no later than the next list is due: with the random number %d, and %d ms after the last list, the timeout is %d s',
  (random, sinceMs, expected) => {
    expect(chooseTimeout(REFLECTOR_TIMES, sinceMs, random)).toBe(expected);
  },
);

test('a reflector without permission to list objects calls onActivity only once, and logs a warning with its namespace', async () => {
  let activities = 0;
  const { cluster, reflector, pass, at } = setUpReflector({
    namespace: 'team',
    onActivity: () => void (activities += 1),
  });
  cluster.api.list = () => Promise.reject(new KubernetesError(403, 'Forbidden', 'no Role'));
  expect(activities).toBe(0);
  void reflector.start();
  await pass(5000);
  expect(activities).toBe(1);
  expect(at('warn')).toMatchObject([{ message: 'pods of namespace "team" cannot be watched; retrying' }]);
  reflector.stop();
});
