import { findBest, limitSize, readSize } from './size.ts';

const USUAL = { models: 200, tenants: 1000, keys: 3000, pods: 2000 };

test('readSize returns the default size unless the environment sets another size, and rejects a value that is not a number', () => {
  expect(readSize(USUAL, {})).toEqual(USUAL);
  expect(readSize(USUAL, { BENCH_TENANTS: '50', BENCH_PODS: '' })).toEqual({ ...USUAL, tenants: 50 });
  expect(() => readSize(USUAL, { BENCH_KEYS: 'many' })).toThrow('BENCH_KEYS must be a number from 1 on, not "many"');
});

test('limitSize reduces the numbers of models, tenants and keys to at most the limit, and keeps the number of pods', () => {
  expect(limitSize(USUAL, 500)).toEqual({ models: 200, tenants: 500, keys: 500, pods: 2000 });
});

test('findBest returns the candidate that takes the least time', async () => {
  expect(await findBest([3, 1, 2], (candidate) => Promise.resolve(candidate))).toBe(1);
});
