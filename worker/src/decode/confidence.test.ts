import fc from 'fast-check';
import { confidenceOf } from './confidence.ts';

test.each([
  [0, 1],
  [Math.log(0.5), 0.5],
  [Math.log(0.0004), 0],
  [Math.log(0.98765), 0.988],
  [-Infinity, 0],
  // Because of rounding, a GPU can return a log-probability slightly above 0.
  [0.001, 1],
  [NaN, 0],
])('the confidence of a word with the log-probability %d is %d', (logProb, confidence) => {
  expect(confidenceOf(logProb)).toBe(confidence);
});

test('every confidence is a number from 0 to 1 with at most three decimals', () => {
  fc.assert(
    fc.property(fc.double(), (logProb) => {
      const confidence = confidenceOf(logProb);
      expect(confidence).toBeGreaterThanOrEqual(0);
      expect(confidence).toBeLessThanOrEqual(1);
      expect(JSON.stringify(confidence)).toMatch(/^(?:0|1|0\.\d{1,3})$/);
    }),
  );
});
