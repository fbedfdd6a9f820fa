import { COMPARED_NAMES, comparedMetric } from '../lib/comparisons.ts';
import { NOISE_KINDS } from '../lib/noise.ts';
import { CHECKS, METRICS, NOISE_CHECK } from '../lib/thresholds.ts';
import type { K6Metrics } from './k6-metrics.ts';
import { summarize } from './summary.ts';
import { balancesOf, checkResult, counter, FACTS, metricsOf, PLAN, trend } from './testing/metrics.ts';

const lenient = { ...PLAN, requiresLatency: false };
const balances = [balancesOf(6000)];
const good = metricsOf();
const slow = metricsOf({ [METRICS.latency('delta')]: trend(400, 8, 300) });
const late = metricsOf({ lag: trend(200, 100, 50) });

test('summarize passes a correct run that meets its targets', () => {
  const summary = summarize(FACTS, PLAN, good, balances);
  expect(summary).toMatchObject({ outcome: 'passed', voidReason: null, sessions: 2, wordErrorRatePercent: 20 });
  expect(summary.targets.map(({ target, met }) => [target, met])).toEqual([
    ['delta', true],
    ['final', true],
    ['ready', true],
  ]);
});

test('summarize fails a run that misses a latency target only if the scenario must meet the latency targets', () => {
  expect(summarize(FACTS, PLAN, slow, balances).outcome).toBe('failed');
  const summary = summarize(FACTS, lenient, slow, balances);
  expect(summary.outcome).toBe('passed');
  expect(summary.targets.map(({ met }) => met)).toEqual([null, null, null]);
});

test('summarize fails a run in which a required target has no measurements', () => {
  const metrics = metricsOf({ [METRICS.latency('ready')]: trend(0, 0, 1000) });
  expect(summarize(FACTS, PLAN, metrics, balances)).toMatchObject({ outcome: 'failed' });
});

test('summarize fails a run if the deltas of one attention context miss their latency target', () => {
  const contexts: [number, number][] = [[56, 0]];
  const missed = metricsOf({ [METRICS.deltaOf([56, 0])]: trend(301, 5, 300) });
  const met = metricsOf({ [METRICS.deltaOf([56, 0])]: trend(300, 5, 300) });
  expect(summarize(FACTS, { ...PLAN, contexts }, missed, balances).outcome).toBe('failed');
  expect(summarize(FACTS, { ...PLAN, contexts }, met, balances)).toMatchObject({
    outcome: 'passed',
    contexts: { '56-0': { count: 5, p95: 300 } },
  });
});

test('summarize reports a run with a slow load generator as void, or as failed if its results are incorrect', () => {
  expect(summarize(FACTS, PLAN, late, balances)).toMatchObject({ outcome: 'void', voidReason: 'late generator' });
  expect(summarize(FACTS, PLAN, late, [balancesOf(9000)]).outcome).toBe('failed');
});

test('summarize fails a run in which a session fails a check', () => {
  const metrics = metricsOf({ [METRICS.check(CHECKS.events)]: checkResult(1, 1) });
  expect(summarize(FACTS, lenient, metrics, balances).outcome).toBe('failed');
});

test('summarize reports a run that missed a target as void only if the machine became slower', () => {
  const judge = (changes: { declaredAfter: number; streams?: number }, metrics = slow) => {
    const { declaredAfter, streams = 1 } = changes;
    const measured = { ...FACTS, declaredSlots: 100, declaredAfter };
    const { outcome, voidReason } = summarize(measured, { ...PLAN, streams }, metrics, balances);
    return [outcome, voidReason];
  };
  expect(judge({ declaredAfter: 89 })).toEqual(['void', 'slower machine']);
  expect(judge({ declaredAfter: 90 })).toEqual(['failed', null]);
  expect(judge({ declaredAfter: 130 })).toEqual(['failed', null]);
  expect(judge({ declaredAfter: 89, streams: 101 })).toEqual(['failed', null]);
  expect(judge({ declaredAfter: 89 }, good)).toEqual(['passed', null]);
});

const noisyPlan = { ...PLAN, periods: { startMs: 0, seconds: 15, count: 4 } };
const noisyMetrics = (noisyMs: number, secondMs = 50) =>
  metricsOf({
    ...Object.fromEntries(
      COMPARED_NAMES.flatMap((name) => [
        [comparedMetric(name, 'quiet'), trend(50)],
        [comparedMetric(name, 'noisy'), trend(noisyMs)],
        [comparedMetric(name, 'quiet', 'first'), trend(50)],
        [comparedMetric(name, 'quiet', 'second'), trend(secondMs)],
      ]),
    ),
    ...Object.fromEntries(NOISE_KINDS.map((kind) => [METRICS.noise(kind, 'refused'), counter(30_000)])),
    [METRICS.check(NOISE_CHECK)]: checkResult(1, 0),
  });

test('summarize fails a run in which the noisy tenant increases the latencies of other tenants, and reports the run as void on an unsteady machine', () => {
  const judge = (...values: [number, number?]) => {
    const { outcome, voidReason } = summarize(FACTS, noisyPlan, noisyMetrics(...values), balances);
    return [outcome, voidReason];
  };
  expect(judge(55)).toEqual(['passed', null]);
  expect(judge(56)).toEqual(['failed', null]);
  expect(judge(56, 60)).toEqual(['void', 'unsteady machine']);
  expect(judge(55, 60)).toEqual(['passed', null]);
});

test('summarize reports a run with higher latencies in noisy periods as void if less than 25 % of the CPU time was idle in quiet periods', () => {
  const judge = (quietIdleShare: number, noisyMs: number) =>
    summarize({ ...FACTS, quietIdleShare }, noisyPlan, noisyMetrics(noisyMs), balances).outcome;
  expect([judge(0.24, 56), judge(0.25, 56), judge(0.24, 55)]).toEqual(['void', 'failed', 'passed']);
});

test('summarize fails a run if too few requests of the noisy tenant were refused', () => {
  const metrics = { ...noisyMetrics(50), [METRICS.noise('request', 'refused')]: counter(10) };
  expect(summarize(FACTS, noisyPlan, metrics as K6Metrics, balances).outcome).toBe('failed');
});

test('summarize reports the saturation of a ramp', () => {
  const ramp = { steps: [1], stepSeconds: 60, settleSeconds: 5 };
  const metrics = metricsOf({
    [METRICS.latencyAt('delta', 1)]: trend(400),
    [METRICS.latencyAt('final', 1)]: trend(50),
  });
  expect(summarize(FACTS, { ...lenient, ramp }, metrics, balances).saturation).toMatchObject({ failedAt: 1 });
});
