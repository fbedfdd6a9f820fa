import { COMPARED, COMPARED_NAMES, comparedMetric, MAX_RATIO } from '../lib/comparisons.ts';
import type { ComparedName } from '../lib/comparisons.ts';
import { MIN_REFUSED_SHARE, NOISE_ANSWERS, NOISE_KINDS, NOISE_PER_MINUTE, NOISY_LIMITS } from '../lib/noise.ts';
import { noisyMinutes } from '../lib/periods.ts';
import type { Plan } from '../lib/plan.ts';
import { METRICS, NOISE_CHECK } from '../lib/thresholds.ts';
import type { Gate } from './gates.ts';
import { countOf, distributionOf, meetsThresholds } from './k6-metrics.ts';
import type { Distribution, K6Metrics } from './k6-metrics.ts';

/** A latency of the regular tenants in quiet and in noisy periods. */
export interface Comparison {
  readonly name: ComparedName;
  readonly quiet: Distribution;
  readonly noisy: Distribution;
  /** p95 of the noisy periods divided by the p95 of the quiet periods. Null without measurements. */
  readonly ratio: number | null;
  /** Largest allowed p95 of the noisy periods, in milliseconds. Null without measurements. */
  readonly limitMs: number | null;
  readonly met: boolean;
  /**
   * True if the p95 differs too much between two halves of the quiet periods. Consecutive quiet periods belong to
   * different halves. The p95 values differ too much if the larger one exceeds the `limitMs` that would follow from the
   * smaller one.
   */
  readonly isUnsteady: boolean;
}

/** Compares the latencies of regular tenants in noisy periods with those in quiet periods. */
export function compareLatencies(metrics: K6Metrics): Comparison[] {
  return COMPARED_NAMES.map((name) => {
    const [quiet, noisy] = (['quiet', 'noisy'] as const).map((period) =>
      distributionOf(metrics, comparedMetric(name, period)),
    ) as [Distribution, Distribution];
    const halves = (['first', 'second'] as const).map(
      (half) => distributionOf(metrics, comparedMetric(name, 'quiet', half)).p95 ?? 0,
    );
    const { allowanceMs } = COMPARED[name];
    const limitOf = (p95: number) => Math.max(p95 * MAX_RATIO, p95 + allowanceMs);
    const hasBoth = quiet.p95 !== null && noisy.p95 !== null;
    return {
      name,
      quiet,
      noisy,
      ratio: hasBoth && quiet.p95 > 0 ? Math.round((100 * noisy.p95) / quiet.p95) / 100 : null,
      limitMs: quiet.p95 === null ? null : Math.round(10 * limitOf(quiet.p95)) / 10,
      met: hasBoth && noisy.p95 <= limitOf(quiet.p95),
      isUnsteady: Math.max(...halves) > limitOf(Math.min(...halves)),
    };
  });
}

/**
 * Checks that the noise arrived at the service and was refused. Also checks that the service accepted no more requests
 * of the noisy tenant than the limits of this tenant allow.
 */
export function judgeNoise(
  metrics: K6Metrics,
  { periods, noiseFactor }: Pick<Plan, 'periods' | 'noiseFactor'>,
): Gate[] {
  if (periods === null) return [];
  const minutes = noisyMinutes(periods);
  const refusals = NOISE_KINDS.map((kind): Gate => {
    const [accepted, refused, delayed] = NOISE_ANSWERS.map((answer) =>
      countOf(metrics, METRICS.noise(kind, answer)),
    ) as [number, number, number];
    const intended = Math.round(noiseFactor * NOISE_PER_MINUTE[kind] * minutes);
    return {
      name: `at least ${100 * MIN_REFUSED_SHARE} % of the intended noise was refused or delayed (${kind})`,
      passed: refused > 0 && refused + delayed >= MIN_REFUSED_SHARE * intended,
      detail: `${refused} refused, ${delayed} delayed and ${accepted} accepted of ${intended} intended`,
    };
  });
  // The tenant is also allowed to send requests in quiet periods, which are as long as the noisy periods. In addition,
  // the tenant may send one burst with as many requests as the limit allows per minute.
  const mostRequests = NOISY_LIMITS.requestsPerMinute * (2 * minutes + 1);
  const accepted = countOf(metrics, METRICS.noise('request', 'accepted'));
  const { passes = 0, fails = 0 } = metrics[METRICS.check(NOISE_CHECK)]?.values ?? {};
  return [
    ...refusals,
    {
      name: 'the noisy tenant did not exceed its request rate',
      passed: accepted <= mostRequests,
      detail: `${accepted} of at most ${mostRequests}`,
    },
    {
      name: NOISE_CHECK,
      passed: passes > 0 && meetsThresholds(metrics, METRICS.check(NOISE_CHECK)),
      detail: `${passes} of ${passes + fails}`,
    },
  ];
}
