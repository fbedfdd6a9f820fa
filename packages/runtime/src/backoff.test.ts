import fc from 'fast-check';
import { backoffMs } from './backoff.ts';

const options = { baseMs: 100, maxMs: 10_000 };

test.each([
  [1, 0, 50],
  [1, 0.999, 99.95],
  [2, 0, 100],
  [5, 0, 800],
  [8, 0, 5000],
  [5000, 0, 5000],
])('backoffMs after %d failures with the random number %d is %d ms', (failures, random, expectedMs) => {
  expect(backoffMs(failures, options, random)).toBeCloseTo(expectedMs);
});

test('backoffMs is at least half of the base delay and at most the maximum delay, and after one more failure it is at least half of the previous value', () => {
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000 }), random, random, (failures, one, other) => {
      const delayMs = backoffMs(failures, options, one);
      expect(delayMs).toBeGreaterThanOrEqual(options.baseMs / 2);
      expect(delayMs).toBeLessThanOrEqual(options.maxMs);
      expect(backoffMs(failures + 1, options, other)).toBeGreaterThanOrEqual(delayMs / 2);
    }),
  );
});
