import { countsSince, NO_COUNTS } from './counts.ts';
import type { RevisionCounts } from './counts.ts';
import { ENOUGH_DELTAS, ENOUGH_FAILURES, ENOUGH_STREAMS, findBreach } from './gate.ts';
import { LATENCY_BOUNDS_MS, latencyBucket } from './latency.ts';

const SPEC = { maxFailurePercent: 1, maxDeltaP95Ms: 500 };
const streams = (all: number, failures: number): RevisionCounts => ({ ...NO_COUNTS, streams: all, failures });
const deltas = (count: number, latencyMs: number): RevisionCounts => {
  const latencies = Array.from({ length: LATENCY_BOUNDS_MS.length + 1 }, () => 0);
  latencies[latencyBucket(latencyMs)] = count;
  return { ...NO_COUNTS, latencies };
};

test('findBreach reports a failure percentage above the limit, but not at the limit', () => {
  expect(findBreach(SPEC, streams(100, 1), NO_COUNTS)).toBeUndefined();
  expect(findBreach(SPEC, streams(100, 2), NO_COUNTS)).toEqual({
    reason: 'Failures',
    message: '2 of 100 streams failed (2.0 %); rollout.maxFailurePercent is 1',
  });
});

test('findBreach reports failures as a breach only if there are enough streams or enough failures', () => {
  expect(findBreach(SPEC, streams(ENOUGH_STREAMS - 1, ENOUGH_FAILURES - 1), NO_COUNTS)).toBeUndefined();
  expect(findBreach(SPEC, streams(ENOUGH_FAILURES, ENOUGH_FAILURES), NO_COUNTS)?.reason).toBe('Failures');
  expect(findBreach(SPEC, streams(ENOUGH_STREAMS, 1), NO_COUNTS)?.reason).toBe('Failures');
});

test('findBreach reports failures only if the stable revision fails less often or has too few streams to compare', () => {
  expect(findBreach(SPEC, streams(100, 10), streams(100, 10))).toBeUndefined();
  expect(findBreach(SPEC, streams(100, 10), streams(100, 9))?.reason).toBe('Failures');
  expect(findBreach(SPEC, streams(100, 10), streams(ENOUGH_STREAMS - 1, 10))?.reason).toBe('Failures');
});

test('findBreach reports a p95 latency above the limit if there are enough deltas, unless the stable revision is slower', () => {
  expect(findBreach(SPEC, deltas(ENOUGH_DELTAS, 700), NO_COUNTS)?.reason).toBe('Latency');
  expect(findBreach(SPEC, deltas(ENOUGH_DELTAS - 1, 700), NO_COUNTS)).toBeUndefined();
  expect(findBreach(SPEC, deltas(ENOUGH_DELTAS, 400), NO_COUNTS)).toBeUndefined();
  expect(findBreach(SPEC, deltas(ENOUGH_DELTAS, 700), deltas(ENOUGH_DELTAS, 2000))).toBeUndefined();
  expect(findBreach(SPEC, deltas(ENOUGH_DELTAS, 700), deltas(ENOUGH_DELTAS, 200))?.reason).toBe('Latency');
});

test('countsSince returns the increase of each counter, or the whole value of a counter that was reset', () => {
  expect(countsSince(streams(10, 1), streams(4, 1))).toMatchObject({ streams: 6, failures: 0 });
  expect(countsSince(streams(3, 1), streams(4, 2))).toMatchObject({ streams: 3, failures: 1 });
});
