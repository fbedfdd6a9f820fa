import { COMPARED_NAMES, comparedMetric } from './comparisons.ts';
import { LATENCY_TARGETS } from './latency-targets.ts';
import type { LatencyTargetName } from './latency-targets.ts';
import { NOISE_ANSWERS, NOISE_KINDS } from './noise.ts';
import type { NoiseAnswer, NoiseKind } from './noise.ts';
import type { Plan } from './plan.ts';

/** Names of the checks that every session must pass, whatever the load. k6 counts the checks in its metric `checks`. */
export const CHECKS = {
  finals: 'every flush got its final',
  events: 'every event arrived once and in order',
  closed: 'every stream closed normally',
  refused: 'every refusal was allowed',
} as const;

/** Name of the check that every request of a noisy tenant must pass. */
export const NOISE_CHECK = 'every request of the noisy tenant got an allowed answer';

/** Names of k6 metrics with a tag filter. */
export const METRICS = {
  /** Latencies of regular tenants only, because no target applies to a tenant that sends faster than real time. */
  latency: (target: LatencyTargetName) => `${target}_latency{role:regular}`,
  deltaOf: (context: readonly [number, number]) => `delta_latency{context:${context.join('-')}}`,
  latencyAt: (target: LatencyTargetName, streams: number) => `${target}_latency{step:${streams}}`,
  refusedAt: (streams: number) => `session_refusals{step:${streams}}`,
  check: (name: string) => `checks{check:${name}}`,
  charged: (tenant: string) => `charged_ms{tenant:${tenant}}`,
  unclear: (tenant: string) => `unclear_ms{tenant:${tenant}}`,
  create: 'http_req_duration{name:create session}',
  noise: (kind: NoiseKind, answer: NoiseAnswer) => `noise_answers{kind:${kind},answer:${answer}}`,
} as const;

type ThresholdPlan = Pick<
  Plan,
  'callers' | 'contexts' | 'lagLimitMs' | 'limits' | 'periods' | 'ramp' | 'requiresLatency'
>;

/**
 * Builds the thresholds of a run. k6 reports a metric with a tag filter only if the thresholds contain it. A metric
 * without a limit therefore has an empty list.
 */
export function buildThresholds(plan: ThresholdPlan): Record<string, string[]> {
  const { callers, contexts, lagLimitMs, limits, periods, ramp, requiresLatency } = plan;
  const limit = (target: LatencyTargetName) => (requiresLatency ? [`p(95)<=${limits[target]}`] : []);
  const measuresLatency = requiresLatency || ramp !== null;
  return Object.fromEntries([
    ...Object.values(CHECKS).map((name) => [METRICS.check(name), ['rate==1']]),
    ['lag', measuresLatency ? [`p(95)<=${lagLimitMs}`] : []],
    ...LATENCY_TARGETS.map((target) => [METRICS.latency(target), limit(target)]),
    // Each context has its own limit, so that low latencies of one context cannot hide high latencies of another.
    ...contexts.map((context) => [METRICS.deltaOf(context), limit('delta')]),
    [METRICS.create, []],
    ...callers.flatMap(({ tenant }) => [
      [METRICS.charged(tenant), []],
      [METRICS.unclear(tenant), []],
    ]),
    ...(ramp?.steps ?? []).flatMap((streams) => [
      ...LATENCY_TARGETS.map((target) => [METRICS.latencyAt(target, streams), []]),
      [METRICS.refusedAt(streams), []],
    ]),
    ...(periods === null ? [] : buildPeriodThresholds(callers)),
  ]) as Record<string, string[]>;
}

/**
 * Returns the metrics of the scenario noisy-tenant, which the runner judges. The noisy tenant has its own k6 process.
 * Only the `callers` of that process contain the noisy tenant.
 */
function buildPeriodThresholds(callers: ThresholdPlan['callers']): [string, string[]][] {
  if (callers.some(({ role }) => role === 'noisy')) {
    const answers = NOISE_KINDS.flatMap((kind) => NOISE_ANSWERS.map((answer) => METRICS.noise(kind, answer)));
    return [[METRICS.check(NOISE_CHECK), ['rate==1']], ...withoutLimits(answers)];
  }
  const compared = COMPARED_NAMES.flatMap((name) => [
    comparedMetric(name, 'quiet'),
    comparedMetric(name, 'noisy'),
    comparedMetric(name, 'quiet', 'first'),
    comparedMetric(name, 'quiet', 'second'),
  ]);
  return withoutLimits(compared);
}

function withoutLimits(names: readonly string[]): [string, string[]][] {
  return names.map((name) => [name, []]);
}
