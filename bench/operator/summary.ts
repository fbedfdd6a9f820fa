import type { BenchResult } from '../../tools/bench/benchmark.ts';
import type { Convergence } from './converge.ts';
import type { FloorRound } from './floor.ts';
import type { PodPhases } from './pods.ts';
import { MEMORY_LIMIT_MIB } from './operator-process.ts';
import type { Resync } from './resync.ts';
import type { Size } from './size.ts';

const MIB = 2 ** 20;

/** Measurements of the convergence of resources. */
export interface ResourceFindings {
  floors: readonly FloorRound[];
  ours: readonly Convergence[];
  again: Resync;
}

export interface Findings {
  size: Size;
  /** Undefined if only worker pods were measured. */
  resources: ResourceFindings | undefined;
  /** Undefined if only resources were measured. */
  phases: PodPhases | undefined;
}

/**
 * Returns ratios and figures of the measured parts. They come from the fastest round of the operator and the fastest
 * round of the minimal client (the floor).
 */
export function summarize({ size, resources, phases }: Findings): BenchResult {
  const usages = [
    ...(resources === undefined ? [] : [resources.again.usage, ...resources.ours.map(({ usage }) => usage)]),
    ...(phases === undefined ? [] : [phases]),
  ];
  const peakBytes = Math.max(...usages.map((usage) => usage.peakBytes));
  return {
    ratios: resources === undefined ? {} : { time_vs_floor: fastest(resources.ours).ms / fastest(resources.floors).ms },
    figures: {
      ...(resources !== undefined && figuresOfResources(size, resources)),
      ...(phases !== undefined && figuresOfPods(size, phases)),
      peak_mib: peakBytes / MIB,
      memory_limit_mib: MEMORY_LIMIT_MIB,
    },
  };
}

function figuresOfResources(size: Size, { floors, ours, again }: ResourceFindings): BenchResult['figures'] {
  const [us, floor] = [fastest(ours), fastest(floors)];
  return {
    models: size.models,
    tenants: size.tenants,
    keys: size.keys,
    converged_seconds: us.ms / 1000,
    floor_seconds: floor.ms / 1000,
    requests: sum(us.requests),
    requests_per_second: sum(us.requests) / (us.ms / 1000),
    // Requests that create resources are subtracted, because only the client of floor.ts sends them. The benchmark
    // creates the resources for the operator.
    floor_requests: sum(floor.requests) - (floor.requests.get('create') ?? 0),
    operator_cpu_seconds: us.cpuSeconds,
    resync_writes: again.writes,
    restart_seconds: again.startMs / 1000,
    resident_mib: again.usage.residentBytes / MIB,
    idle_cores: again.idleCores,
    idle_requests_per_second: again.idleRequestsPerSecond,
  };
}

function figuresOfPods(size: Size, phases: PodPhases): BenchResult['figures'] {
  return {
    pods: size.pods,
    scale_up_seconds: phases.scaleUpMs / 1000,
    rollout_seconds: phases.rolloutMs / 1000,
    drain_seconds: phases.drainMs / 1000,
    workers_started: phases.started,
    workers_drained: phases.drained,
    workers_drained_with_streams: phases.drainedBusy,
    busy_drained_while_one_was_idle: phases.wronglyDrained,
    busy_pods_removed: phases.lostBusy,
    resident_mib_with_pods: phases.residentBytes / MIB,
  };
}

function fastest<Round extends { ms: number }>(rounds: readonly Round[]): Round {
  return rounds.reduce((a, b) => (b.ms < a.ms ? b : a));
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((all, count) => all + count, 0);
}
