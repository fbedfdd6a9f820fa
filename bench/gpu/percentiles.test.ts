import { growsBacklog, percentiles, quartersOf } from './percentiles.ts';

test('percentiles() returns the distribution of unsorted values, and zeros if there are no values', () => {
  const values = Array.from({ length: 101 }, (_, i) => (i * 7) % 101);
  expect(percentiles(values)).toEqual({ p50: 50, p95: 95, p99: 99, max: 100 });
  expect(percentiles([])).toEqual({ p50: 0, p95: 0, p99: 0, max: 0 });
});

test('growsBacklog is true for latencies that grow during a run, and false for latencies that only vary', () => {
  const varying = Float64Array.from({ length: 400 }, (_, i) => 30 + (i % 20));
  const growing = Float64Array.from({ length: 400 }, (_, i) => 30 + i / 4);
  expect(growsBacklog(quartersOf([varying, varying]))).toBe(false);
  expect(growsBacklog(quartersOf([varying, growing]))).toBe(true);
});
