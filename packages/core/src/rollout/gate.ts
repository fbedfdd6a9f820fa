import type { AsrModel } from '../resources/asrmodel.ts';
import type { RevisionCounts } from './counts.ts';
import { latencyQuantile } from './latency.ts';

export type RolloutSpec = AsrModel['spec']['rollout'];

/** Why a revision is not good enough. */
export interface Breach {
  readonly reason: 'Failures' | 'Latency';
  readonly message: string;
}

/** So many streams tell what share of them fails… */
export const ENOUGH_STREAMS = 20;
/** … and so many failures tell it sooner: one that fails every stream must not get twenty of them. */
export const ENOUGH_FAILURES = 5;
/** So many latencies tell the 95th percentile. */
export const ENOUGH_DELTAS = 100;

/**
 * Whether a revision exceeds what its model allows, by what was counted in the same time of it and of the one before it.
 * Where that one fares no better the fault is elsewhere: a node, Redis, the load.
 */
export function findBreach(spec: RolloutSpec, candidate: RevisionCounts, stable: RevisionCounts): Breach | undefined {
  return findFailures(spec, candidate, stable) ?? findLatency(spec, candidate, stable);
}

function findFailures(spec: RolloutSpec, candidate: RevisionCounts, stable: RevisionCounts): Breach | undefined {
  const { streams, failures } = candidate;
  if (streams < ENOUGH_STREAMS && failures < ENOUGH_FAILURES) return undefined;
  const percent = percentOf(candidate);
  if (percent <= spec.maxFailurePercent) return undefined;
  if (stable.streams >= ENOUGH_STREAMS && percentOf(stable) >= percent) return undefined;
  const message = `${failures} of ${streams} streams failed (${percent.toFixed(1)} %); rollout.maxFailurePercent is ${spec.maxFailurePercent}`;
  return { reason: 'Failures', message };
}

function findLatency(spec: RolloutSpec, candidate: RevisionCounts, stable: RevisionCounts): Breach | undefined {
  const p95Ms = measured(candidate);
  if (p95Ms === undefined || p95Ms <= spec.maxDeltaP95Ms) return undefined;
  const before = measured(stable);
  if (before !== undefined && before >= p95Ms) return undefined;
  const message = `95 % of deltas came within ${Math.round(p95Ms)} ms; rollout.maxDeltaP95Ms is ${spec.maxDeltaP95Ms}`;
  return { reason: 'Latency', message };
}

function percentOf({ streams, failures }: RevisionCounts): number {
  return (100 * failures) / Math.max(1, streams, failures);
}

function measured({ latencies }: RevisionCounts): number | undefined {
  const samples = latencies.reduce((sum, count) => sum + count, 0);
  return samples < ENOUGH_DELTAS ? undefined : latencyQuantile(latencies, 0.95);
}
