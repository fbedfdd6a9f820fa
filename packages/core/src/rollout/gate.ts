import type { AsrModel } from '../resources/asrmodel.ts';
import type { RevisionCounts } from './counts.ts';
import { latencyQuantile } from './latency.ts';

export type RolloutSpec = AsrModel['spec']['rollout'];

/**
 * Limits that a new revision must not exceed from the time at which its first worker is ready until the end of its
 * rollout.
 */
type GateLimits = Pick<RolloutSpec, 'maxFailurePercent' | 'maxDeltaP95Ms'>;

/** Reason why a revision is rolled back. */
export interface Breach {
  readonly reason: 'Failures' | 'Latency' | 'StartDeadline';
  readonly message: string;
}

/** Minimum number of streams for which the failure percentage is significant. */
export const ENOUGH_STREAMS = 20;
/**
 * Number of failures that is significant even with fewer than ENOUGH_STREAMS streams. A revision that fails every
 * stream is therefore rolled back after this number of streams.
 */
export const ENOUGH_FAILURES = 5;
/** Minimum number of latencies for which the 95th percentile is significant. */
export const ENOUGH_DELTAS = 100;

/**
 * Returns the limit that a revision exceeds, based on the counts of both revisions in the same period. If the stable
 * revision performs no better, the cause is elsewhere (a node, Redis, the load), and there is no breach.
 */
export function findBreach(spec: GateLimits, candidate: RevisionCounts, stable: RevisionCounts): Breach | undefined {
  return findFailures(spec, candidate, stable) ?? findLatency(spec, candidate, stable);
}

function findFailures(spec: GateLimits, candidate: RevisionCounts, stable: RevisionCounts): Breach | undefined {
  const { streams, failures } = candidate;
  if (streams < ENOUGH_STREAMS && failures < ENOUGH_FAILURES) return undefined;
  const percent = percentOf(candidate);
  if (percent <= spec.maxFailurePercent) return undefined;
  if (stable.streams >= ENOUGH_STREAMS && percentOf(stable) >= percent) return undefined;
  const message = `${failures} of ${streams} streams failed (${percent.toFixed(1)} %); rollout.maxFailurePercent is ${spec.maxFailurePercent}`;
  return { reason: 'Failures', message };
}

function findLatency(spec: GateLimits, candidate: RevisionCounts, stable: RevisionCounts): Breach | undefined {
  const p95Ms = p95Of(candidate);
  if (p95Ms === undefined || p95Ms <= spec.maxDeltaP95Ms) return undefined;
  const before = p95Of(stable);
  if (before !== undefined && before >= p95Ms) return undefined;
  const message = `95 % of deltas took up to ${Math.round(p95Ms)} ms; rollout.maxDeltaP95Ms is ${spec.maxDeltaP95Ms}`;
  return { reason: 'Latency', message };
}

function percentOf({ streams, failures }: RevisionCounts): number {
  return (100 * failures) / Math.max(1, streams, failures);
}

function p95Of({ latencies }: RevisionCounts): number | undefined {
  const samples = latencies.reduce((sum, count) => sum + count, 0);
  return samples < ENOUGH_DELTAS ? undefined : latencyQuantile(latencies, 0.95);
}
