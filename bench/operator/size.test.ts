import { findBest, readSize } from './size.ts';

const USUAL = { resources: 1000, pods: 2000 };

test('readSize returns the default size unless the environment sets another', () => {
  expect(readSize(USUAL, {})).toEqual(USUAL);
  expect(readSize(USUAL, { BENCH_RESOURCES: '50', BENCH_PODS: '' })).toEqual({ resources: 50, pods: 2000 });
  expect(() => readSize(USUAL, { BENCH_PODS: 'many' })).toThrow('BENCH_PODS must be a number from 1 on, not "many"');
});

test('findBest returns the candidate that takes the least time', async () => {
  expect(await findBest([3, 1, 2], (candidate) => Promise.resolve(candidate))).toBe(1);
});
