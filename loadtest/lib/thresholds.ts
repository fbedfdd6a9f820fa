import { LATENCY_TARGETS } from './latency-targets.ts';
import type { LatencyTargetName } from './latency-targets.ts';
import type { Plan } from './plan.ts';

/** Checks that every session must pass, whatever the load. k6 counts them in its metric `checks`. */
export const CHECKS = {
  finals: 'every flush got its final',
  events: 'every event arrived once and in order',
  closed: 'every stream closed normally',
  refused: 'every refusal was allowed',
} as const;

/** Names of k6 metrics that are restricted by a tag. */
export const METRICS = {
  /** Latencies of regular tenants only, because no target applies to a tenant that floods. */
  latency: (target: LatencyTargetName) => `${target}_latency{role:regular}`,
  deltaOf: (context: readonly [number, number]) => `delta_latency{context:${context.join('-')}}`,
  latencyAt: (target: LatencyTargetName, streams: number) => `${target}_latency{step:${streams}}`,
  refusedAt: (streams: number) => `session_refusals{step:${streams}}`,
  check: (name: string) => `checks{check:${name}}`,
  charged: (tenant: string) => `charged_ms{tenant:${tenant}}`,
  unclear: (tenant: string) => `unclear_ms{tenant:${tenant}}`,
  create: 'http_req_duration{name:create session}',
} as const;

type ThresholdPlan = Pick<Plan, 'callers' | 'contexts' | 'lagLimitMs' | 'limits' | 'ramp' | 'requiresLatency'>;

/**
 * Builds the thresholds of a run. k6 reports a metric with a tag only if the metric has an entry. A metric without a
 * limit therefore has an empty list.
 */
export function buildThresholds(plan: ThresholdPlan): Record<string, string[]> {
  const { callers, contexts, lagLimitMs, limits, ramp, requiresLatency } = plan;
  const limit = (target: LatencyTargetName) => (requiresLatency ? [`p(95)<=${limits[target]}`] : []);
  const measuresLatency = requiresLatency || ramp !== null;
  return Object.fromEntries([
    ...Object.values(CHECKS).map((name) => [METRICS.check(name), ['rate==1']]),
    ['lag', measuresLatency ? [`p(95)<=${lagLimitMs}`] : []],
    ...LATENCY_TARGETS.map((target) => [METRICS.latency(target), limit(target)]),
    // Limits each context separately, so that a small context does not gain at the cost of a large one.
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
  ]) as Record<string, string[]>;
}
