import { addUp, quantile } from './quantile.ts';

test('a quantile lies where that share of the counts is reached', () => {
  expect(quantile(0.5, [1, 2, 4], [0, 10, 0, 0])).toBeCloseTo(1.5);
  expect(quantile(0.95, [1, 2, 4], [50, 40, 10, 0])).toBeCloseTo(3);
  // Beyond the last bound nobody knows more than that.
  expect(quantile(0.95, [1, 2, 4], [0, 0, 0, 5])).toBe(4);
});

test('of nothing there is no quantile', () => {
  expect(quantile(0.5, [1, 2], [0, 0, 0])).toBeUndefined();
  expect(quantile(0.5, [], [])).toBeUndefined();
});

test('histograms of several processes add up', () => {
  const one = { bounds: [1, 2], counts: [1, 2, 3] };
  expect(addUp([one, one])).toEqual({ bounds: [1, 2], counts: [2, 4, 6] });
});
