import { binOf, SLOWDOWN_BINS, slowdownAt } from './slowdown.ts';

const histogramOf = (...entries: [slowdown: number, weight: number][]) => {
  const weights = Array<number>(SLOWDOWN_BINS).fill(0);
  for (const [slowdown, weight] of entries) weights[binOf(slowdown)]! += weight;
  return weights;
};

test.each([0.3, 1, 1.8, 15])(
  'slowdownAt returns a slowdown of %d with a relative error of less than 2.6 %',
  (slowdown) => {
    const found = slowdownAt(histogramOf([slowdown, 1]), 0.9) ?? 0;
    expect(Math.abs(found / slowdown - 1)).toBeLessThan(0.026);
  },
);

test('slowdownAt weights each slowdown with the amount of work that was slowed down', () => {
  expect(slowdownAt(histogramOf([1, 95], [4, 5]), 0.9)).toBeCloseTo(1, 1);
  expect(slowdownAt(histogramOf([1, 80], [4, 20]), 0.9)).toBeCloseTo(4, 0);
});

test('slowdownAt returns undefined if there were no runs, and counts slowdowns outside of its range in the outermost bins', () => {
  expect(slowdownAt(histogramOf(), 0.9)).toBeUndefined();
  expect([binOf(0.01), binOf(1000)]).toEqual([0, SLOWDOWN_BINS - 1]);
});
