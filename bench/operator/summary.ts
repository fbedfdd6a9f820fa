import type { BenchResult } from '../../tools/bench/benchmark.ts';
import type { Convergence } from './converge.ts';
import type { FloorRound } from './floor.ts';
import type { PodPhases } from './pods.ts';
import type { Resync } from './resync.ts';

const MIB = 2 ** 20;

export interface Findings {
  resources: number;
  pods: number;
  floors: readonly FloorRound[];
  ours: readonly Convergence[];
  again: Resync;
  phases: PodPhases;
}

/** Returns ratios and figures. The best round of each side counts. */
export function summarize({ resources, pods, floors, ours, again, phases }: Findings): BenchResult {
  const [us, floor] = [fastest(ours), fastest(floors)];
  return {
    ratios: { time_vs_floor: us.ms / floor.ms },
    figures: {
      resources_of_each_kind: resources,
      converged_seconds: us.ms / 1000,
      floor_seconds: floor.ms / 1000,
      requests: sum(us.requests),
      // The floor also creates the resources, which the operator does not.
      floor_requests: sum(floor.requests) - (floor.requests.get('create') ?? 0),
      operator_cpu_seconds: us.cpuSeconds,
      resync_writes: again.writes,
      restart_seconds: again.startMs / 1000,
      resident_mib: again.usage.residentBytes / MIB,
      idle_cores: again.idleCores,
      pods,
      scale_up_seconds: phases.scaleUpMs / 1000,
      rollout_seconds: phases.rolloutMs / 1000,
      drain_seconds: phases.drainMs / 1000,
      workers_started: phases.started,
      workers_drained: phases.drained,
      workers_drained_with_streams: phases.drainedBusy,
      busy_drained_while_one_was_idle: phases.wronglyDrained,
      busy_pods_removed: phases.lostBusy,
      resident_mib_with_pods: phases.residentBytes / MIB,
    },
  };
}

function fastest<Round extends { ms: number }>(rounds: readonly Round[]): Round {
  return rounds.reduce((a, b) => (b.ms < a.ms ? b : a));
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((all, count) => all + count, 0);
}
