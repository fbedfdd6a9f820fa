import { BriefCache } from './brief-cache.ts';

/** Creates a cache with a clock, and a loader that counts its calls. */
function setUp(maxEntries = 10) {
  const clock = { ms: 0 };
  const cache = new BriefCache<number>({ ttlMs: 100, maxEntries, now: () => clock.ms });
  let loads = 0;
  const load = () => Promise.resolve(++loads);
  return { clock, cache, load };
}

test('BriefCache loads a key again only when its time to live has passed', async () => {
  const { clock, cache, load } = setUp();
  expect(await Promise.all([cache.read('a', load), cache.read('a', load)])).toEqual([1, 1]);
  clock.ms = 99;
  expect(await cache.read('a', load)).toBe(1);
  clock.ms = 100;
  expect(await cache.read('a', load)).toBe(2);
});

test('BriefCache loads a key again after the key was deleted, even if it was deleted during its first load', async () => {
  const { cache, load } = setUp();
  let finish: (value: number) => void = () => undefined;
  const first = cache.read('a', () => new Promise((resolve) => (finish = resolve)));
  cache.delete('a');
  expect(await cache.read('a', load)).toBe(1);
  finish(0);
  expect(await first).toBe(0);
  expect(await cache.read('a', load)).toBe(1);
  cache.clear();
  expect(await cache.read('a', load)).toBe(2);
});

test('BriefCache does not keep a failed load', async () => {
  const { cache, load } = setUp();
  await expect(cache.read('a', () => Promise.reject(new Error('unavailable')))).rejects.toThrow('unavailable');
  expect(await cache.read('a', load)).toBe(1);
});

test('BriefCache drops the oldest entry when it is full', async () => {
  const { cache, load } = setUp(2);
  for (const key of ['a', 'b', 'c']) await cache.read(key, load);
  expect(await cache.read('c', load)).toBe(3);
  expect(await cache.read('b', load)).toBe(2);
  expect(await cache.read('a', load)).toBe(4);
});
