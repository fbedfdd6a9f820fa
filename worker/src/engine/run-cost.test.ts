import { expectedRunMs } from './run-cost.ts';

const COST = { sizes: [1, 4, 16], timesMs: [10, 20, 80], isPadded: false };

test.each([
  [1, 10],
  [2, 10 + 10 / 3],
  [4, 20],
  [10, 50],
  [16, 80],
])('for %i windows, expectedRunMs interpolates between the measured sizes and returns %d ms', (windows, timeMs) => {
  expect(expectedRunMs(COST, windows)).toBeCloseTo(timeMs);
});

test('if batches are padded, expectedRunMs is the duration of the smallest measured batch size that fits', () => {
  const padded = { ...COST, isPadded: true };
  expect([1, 2, 4, 5, 16].map((windows) => expectedRunMs(padded, windows))).toEqual([10, 20, 20, 80, 80]);
});
