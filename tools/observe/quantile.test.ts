import { addUp, quantile } from './quantile.ts';

test('quantile interpolates inside the bucket that reaches the share', () => {
  expect(quantile(0.5, [1, 2, 4], [0, 10, 0, 0])).toBeCloseTo(1.5);
  expect(quantile(0.95, [1, 2, 4], [50, 40, 10, 0])).toBeCloseTo(3);
  // Values above the last bound are unknown, so the last bound is returned.
  expect(quantile(0.95, [1, 2, 4], [0, 0, 0, 5])).toBe(4);
});

test('quantile returns undefined for an empty histogram', () => {
  expect(quantile(0.5, [1, 2], [0, 0, 0])).toBeUndefined();
  expect(quantile(0.5, [], [])).toBeUndefined();
});

test('addUp adds the bucket counts of several processes', () => {
  const one = { bounds: [1, 2], counts: [1, 2, 3] };
  expect(addUp([one, one])).toEqual({ bounds: [1, 2], counts: [2, 4, 6] });
});
