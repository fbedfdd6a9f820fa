import { batchLimit } from './batch-limit.ts';

const cost = (fullMs: number, isPadded = false) => ({
  sizes: [1, 4, 16],
  timesMs: [0.1 * fullMs, 0.27 * fullMs, fullMs],
  isPadded,
});

describe('batchLimit', () => {
  test('is the largest batch while a full run is short enough, and if the cost is unknown', () => {
    expect(batchLimit(cost(100), 1, 16)).toBe(16);
    expect(batchLimit(undefined, 5, 16)).toBe(16);
  });

  test('is lower on a machine that is slow at warm-up or slows down afterwards', () => {
    expect(batchLimit(cost(200), 1, 16)).toBe(7);
    expect(batchLimit(cost(100), 2, 16)).toBe(7);
  });

  test('does not fall to sizes that take much more time per window', () => {
    expect(batchLimit(cost(100), 100, 16)).toBe(4);
  });

  test('does not change if batches are padded', () => {
    expect(batchLimit(cost(100, true), 100, 16)).toBe(16);
  });
});
