import { LATENCY_BOUNDS_MS, latencyBucket, latencyQuantile } from './latency.ts';

const count = (...latencies: number[]): number[] => {
  const counts = Array.from({ length: LATENCY_BOUNDS_MS.length + 1 }, () => 0);
  for (const latency of latencies) counts[latencyBucket(latency)]! += 1;
  return counts;
};

test.each([
  [0, 0],
  [50, 0],
  [51, 1],
  [300, 5],
  [60_000, 15],
  [60_001, 16],
])('latencyBucket puts %i ms into bucket %i', (latencyMs, bucket) => {
  expect(latencyBucket(latencyMs)).toBe(bucket);
});

test('latencyQuantile is undefined if there are no latencies', () => {
  expect(latencyQuantile([], 0.95)).toBeUndefined();
  expect(latencyQuantile(count(), 0.95)).toBeUndefined();
});

test('latencyQuantile interpolates within the bucket that contains the quantile', () => {
  const hundred = Array.from({ length: 100 }, (_, at) => at);
  expect(latencyQuantile(count(...hundred), 0.5)).toBeCloseTo(50, -1);
  expect(latencyQuantile(count(...hundred.map((ms) => ms * 10)), 0.95)).toBeCloseTo(950, -2);
  expect(latencyQuantile(count(...Array.from({ length: 20 }, () => 400)), 0.95)).toBeCloseTo(395, -1);
});

test('latencyQuantile is infinite if the quantile is above the highest bound', () => {
  expect(latencyQuantile(count(70_000), 0.95)).toBe(Infinity);
});
