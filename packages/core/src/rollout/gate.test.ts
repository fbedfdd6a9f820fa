import { countsSince, NO_COUNTS } from './counts.ts';
import type { RevisionCounts } from './counts.ts';
import { ENOUGH_DELTAS, ENOUGH_FAILURES, ENOUGH_STREAMS, findBreach } from './gate.ts';
import { LATENCY_BOUNDS_MS, latencyBucket } from './latency.ts';

const SPEC = { canaryPercent: 10, maxFailurePercent: 1, maxDeltaP95Ms: 500, windowSeconds: 300 };
const streams = (all: number, failures: number): RevisionCounts => ({ ...NO_COUNTS, streams: all, failures });
const deltas = (count: number, latencyMs: number): RevisionCounts => {
  const latencies = Array.from({ length: LATENCY_BOUNDS_MS.length + 1 }, () => 0);
  latencies[latencyBucket(latencyMs)] = count;
  return { ...NO_COUNTS, latencies };
};

test('a share of failures above the limit is a breach, at the limit it is none', () => {
  expect(findBreach(SPEC, streams(100, 1), NO_COUNTS)).toBeUndefined();
  expect(findBreach(SPEC, streams(100, 2), NO_COUNTS)).toEqual({
    reason: 'Failures',
    message: '2 of 100 streams failed (2.0 %); rollout.maxFailurePercent is 1',
  });
});

test('too few streams tell nothing, unless many of them failed', () => {
  expect(findBreach(SPEC, streams(ENOUGH_STREAMS - 1, ENOUGH_FAILURES - 1), NO_COUNTS)).toBeUndefined();
  expect(findBreach(SPEC, streams(ENOUGH_FAILURES, ENOUGH_FAILURES), NO_COUNTS)?.reason).toBe('Failures');
  expect(findBreach(SPEC, streams(ENOUGH_STREAMS, 1), NO_COUNTS)?.reason).toBe('Failures');
});

test('failures that the revision before has too are not the fault of the new one', () => {
  expect(findBreach(SPEC, streams(100, 10), streams(100, 10))).toBeUndefined();
  expect(findBreach(SPEC, streams(100, 10), streams(100, 9))?.reason).toBe('Failures');
  expect(findBreach(SPEC, streams(100, 10), streams(ENOUGH_STREAMS - 1, 10))?.reason).toBe('Failures');
});

test('a 95th percentile above the limit is a breach, given enough deltas and a revision before that is faster', () => {
  expect(findBreach(SPEC, deltas(ENOUGH_DELTAS, 700), NO_COUNTS)?.reason).toBe('Latency');
  expect(findBreach(SPEC, deltas(ENOUGH_DELTAS - 1, 700), NO_COUNTS)).toBeUndefined();
  expect(findBreach(SPEC, deltas(ENOUGH_DELTAS, 400), NO_COUNTS)).toBeUndefined();
  expect(findBreach(SPEC, deltas(ENOUGH_DELTAS, 700), deltas(ENOUGH_DELTAS, 2000))).toBeUndefined();
  expect(findBreach(SPEC, deltas(ENOUGH_DELTAS, 700), deltas(ENOUGH_DELTAS, 200))?.reason).toBe('Latency');
});

test('counters that began anew count as a whole', () => {
  expect(countsSince(streams(10, 1), streams(4, 1))).toMatchObject({ streams: 6, failures: 0 });
  expect(countsSince(streams(3, 1), streams(4, 2))).toMatchObject({ streams: 3, failures: 1 });
});
