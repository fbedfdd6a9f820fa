import { quantile } from './quantile.ts';

test('quantile() interpolates inside the bucket that contains the quantile', () => {
  expect(quantile(0.5, [{ bounds: [1, 2, 4], counts: [0, 10, 0, 0] }])).toBeCloseTo(1.5);
  expect(quantile(0.95, [{ bounds: [1, 2, 4], counts: [50, 40, 10, 0] }])).toBeCloseTo(3);
});

test('quantile() returns the highest bound if the quantile is above it', () => {
  expect(quantile(0.95, [{ bounds: [1, 2, 4], counts: [0, 0, 0, 5] }])).toBe(4);
});

test('quantile() adds up the bucket counts of several processes', () => {
  const fast = { bounds: [1, 2], counts: [9, 0, 0] };
  const slow = { bounds: [1, 2], counts: [0, 1, 0] };
  expect(quantile(0.5, [fast, slow])).toBeCloseTo(5 / 9);
  expect(quantile(0.95, [fast, slow])).toBeCloseTo(1.5);
});

test('quantile() returns undefined for an empty histogram', () => {
  expect(quantile(0.5, [{ bounds: [1, 2], counts: [0, 0, 0] }])).toBeUndefined();
  expect(quantile(0.5, [])).toBeUndefined();
});
