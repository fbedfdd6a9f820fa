import { batchLimit } from './batch-limit.ts';

const cost = (fullMs: number, isPadded = false) => ({
  sizes: [1, 4, 16],
  timesMs: [0.1 * fullMs, 0.27 * fullMs, fullMs],
  isPadded,
});

describe('batchLimit', () => {
  test('is the largest batch size if a full run is short enough, or if the cost of runs is unknown', () => {
    expect(batchLimit(cost(100), 1, 16)).toBe(16);
    expect(batchLimit(undefined, 5, 16)).toBe(16);
  });

  test('is lower on a machine that is slow at warm-up, or that becomes slower later', () => {
    expect(batchLimit(cost(200), 1, 16)).toBe(7);
    expect(batchLimit(cost(100), 2, 16)).toBe(7);
  });

  test('is not lowered to sizes at which each window takes much more time than in a full batch', () => {
    expect(batchLimit(cost(100), 100, 16)).toBe(4);
  });

  test('is not lowered if batches are padded', () => {
    expect(batchLimit(cost(100, true), 100, 16)).toBe(16);
  });
});
