import { countOf, distributionOf, meetsThresholds } from './k6-metrics.ts';

const metrics = {
  delta: {
    values: { count: 3, avg: 20, med: 15.04, 'p(95)': 19.55, 'p(99)': 19.9, max: 20 },
    thresholds: { 'p(95)<=10': { ok: false }, 'p(99)<=30': { ok: true } },
  },
  empty: { values: { count: 0, avg: 0, med: 0, 'p(95)': 0, 'p(99)': 0, max: 0 }, thresholds: {} },
};

test('distributionOf rounds the values of a trend to one decimal place', () => {
  expect(distributionOf(metrics, 'delta')).toEqual({ count: 3, p50: 15, p95: 19.6, p99: 19.9, max: 20 });
});

test.each(['empty', 'missing'])(
  'distributionOf returns the count 0 and null as percentiles for a trend that is %s',
  (name) => {
    expect(distributionOf(metrics, name)).toEqual({ count: 0, p50: null, p95: null, p99: null, max: null });
    expect(countOf(metrics, name)).toBe(0);
  },
);

test('meetsThresholds is false if any threshold was crossed, and true if there are no thresholds', () => {
  expect(meetsThresholds(metrics, 'delta')).toBe(false);
  expect(meetsThresholds(metrics, 'empty')).toBe(true);
});
