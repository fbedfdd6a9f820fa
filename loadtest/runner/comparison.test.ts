import { comparedMetric } from '../lib/comparisons.ts';
import type { ComparedName } from '../lib/comparisons.ts';
import { METRICS, NOISE_CHECK } from '../lib/thresholds.ts';
import { compareLatencies, judgeNoise } from './comparison.ts';
import { checkResult, counter, metricsOf, trend } from './testing/metrics.ts';

/** Creates metrics in which one latency has these 95th percentiles in quiet and noisy periods. */
const latencies = (name: ComparedName, quiet: number, noisy: number, second = quiet) =>
  metricsOf({
    [comparedMetric(name, 'quiet')]: trend(quiet),
    [comparedMetric(name, 'noisy')]: trend(noisy),
    [comparedMetric(name, 'quiet', 'first')]: trend(quiet),
    [comparedMetric(name, 'quiet', 'second')]: trend(second),
  });
const compare = (name: ComparedName, ...values: [number, number, number?]) =>
  compareLatencies(latencies(name, ...values)).find((comparison) => comparison.name === name);

test.each([
  ['delta', 100, 110, 1.1, true],
  ['delta', 100, 110.2, 1.1, false],
  ['final', 20, 23, 1.15, false],
  ['first delta', 40, 30, 0.75, true],
  ['create', 4, 7, 1.75, true],
  ['create', 4, 7.1, 1.78, false],
  ['create', 100, 110.2, 1.1, false],
] as const)(
  'compareLatencies for %s with a p95 of %f ms in quiet and %f ms in noisy periods returns the ratio %f and `met` as %s',
  (name, quiet, noisy, ratio, met) => {
    expect(compare(name, quiet, noisy)).toMatchObject({ ratio, met, isUnsteady: false });
  },
);

test('compareLatencies reports an unsteady machine if odd and even quiet periods differ by over 10 % in p95', () => {
  expect(compare('delta', 100, 150, 110)?.isUnsteady).toBe(false);
  expect(compare('delta', 100, 150, 111)?.isUnsteady).toBe(true);
  expect(compare('delta', 100, 150, 89)?.isUnsteady).toBe(true);
});

test('compareLatencies returns met: false for a latency without measurements', () => {
  expect(compareLatencies({}).map(({ met, ratio }) => [met, ratio])).toEqual(
    Array.from({ length: 5 }, () => [false, null]),
  );
});

const PLAN = { periods: { startMs: 0, seconds: 15, count: 8 }, noiseFactor: 100 };
const noise = (refused: number, accepted: number, { fails = 0, delayed = 0 } = {}) =>
  metricsOf({
    [METRICS.noise('request', 'refused')]: counter(refused),
    [METRICS.noise('request', 'accepted')]: counter(accepted),
    [METRICS.noise('request', 'delayed')]: counter(delayed),
    [METRICS.noise('handshake', 'refused')]: counter(6000),
    [METRICS.noise('key', 'refused')]: counter(9000),
    [METRICS.check(NOISE_CHECK)]: checkResult(1, fails),
  });
const failures = (...values: Parameters<typeof noise>) =>
  judgeNoise(noise(...values), PLAN)
    .filter(({ passed }) => !passed)
    .map(({ name }) => name);

test('judgeNoise requires that 90 % of the intended requests of the noisy tenant were refused or delayed, and that some were refused', () => {
  const failure = ['at least 90 % of the intended noise was refused or delayed (request)'];
  expect(failures(54_000, 600)).toEqual([]);
  expect(failures(53_999, 600)).toEqual(failure);
  expect(failures(4000, 600, { delayed: 50_000 })).toEqual([]);
  expect(failures(4000, 600, { delayed: 49_999 })).toEqual(failure);
  expect(failures(0, 600, { delayed: 60_000 })).toEqual(failure);
});

test('judgeNoise fails if more requests of the noisy tenant were accepted than its limit and its burst allow', () => {
  expect(failures(60_000, 1800)).toEqual([]);
  expect(failures(60_000, 1801)).toEqual(['the noisy tenant did not exceed its request rate']);
});

test('judgeNoise fails if a request of the noisy tenant got an unexpected answer, or if the noisy tenant sent no request', () => {
  expect(failures(60_000, 600, { fails: 1 })).toEqual([NOISE_CHECK]);
  expect(judgeNoise({}, PLAN).filter(({ passed }) => passed)).toHaveLength(1);
});

test('judgeNoise returns nothing for a run without periods', () => {
  expect(judgeNoise({}, { periods: null, noiseFactor: 100 })).toEqual([]);
});
