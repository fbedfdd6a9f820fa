/** Compares the operator with a bare client that sends the same requests, and measures it with thousands of pods. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchOptions, BenchResult } from '../../tools/bench/benchmark.ts';
import { buildTable } from '../../tools/bench/table.ts';
import { converge } from './converge.ts';
import type { Convergence } from './converge.ts';
import { describeCounts } from './exposition.ts';
import { runFloor } from './floor.ts';
import type { FloorRound } from './floor.ts';
import { startOperator } from './operator-process.ts';
import { runPodPhases } from './pods.ts';
import type { PodPhases } from './pods.ts';
import { resync } from './resync.ts';
import type { Resync } from './resync.ts';
import { findBest, readSize } from './size.ts';
import { createStage } from './stage.ts';
import type { Scene } from './stage.ts';
import { summarize } from './summary.ts';

/** Number of resources of each of the two kinds, and of worker pods. */
const SIZES = {
  quick: { resources: 100, pods: 200 },
  usual: { resources: 1000, pods: 2000 },
  full: { resources: 1000, pods: 10_000 },
} as const;
/** Resources of each kind in the first, unmeasured round. */
const WARM_UP_RESOURCES = 20;
/** Numbers of connections to try for the floor. The fastest one is used. */
const CONNECTIONS = [16, 32, 64];
/** Resources of each kind with which the number of connections is chosen. */
const SEARCH_RESOURCES = 60;
/** Measured rounds of each side. The sides alternate. */
const ROUNDS = 2;
/** Pause after a round, in which Kubernetes' own controllers finish their work on it. */
const PAUSE_MS = 10_000;

/**
 * Measures the time until new resources have converged, and compares it with the floor. Then it checks that a resync
 * writes nothing, and measures the scale-up, rollout and drain of worker pods. Rejects as soon as a check fails.
 */
export async function bench({ logProgress, size = 'usual' }: BenchOptions): Promise<BenchResult> {
  const { resources, pods } = readSize(SIZES[size], process.env);
  logProgress('starting etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kwok and Redis');
  const stage = await createStage();
  const scenes: Scene[] = [];
  const createScene = async () => {
    const scene = await stage.createScene();
    scenes.push(scene);
    return scene;
  };
  try {
    const { statuses } = await runOperator(await createScene(), WARM_UP_RESOURCES, logProgress);
    const floorOf = async (count: number, connections: number) => {
      const floor = await runFloor(await createScene(), count, connections, statuses);
      const label = `floor, ${count} of each kind, ${connections} connections`;
      logProgress(`${label}: ${seconds(floor.ms)}; ${describeCounts(floor.requests)}`);
      return floor;
    };
    const connections = await findBest(CONNECTIONS, async (candidate) => {
      const { ms } = await floorOf(Math.min(SEARCH_RESOURCES, resources), candidate);
      return ms;
    });
    const floors: FloorRound[] = [];
    const ours: Convergence[] = [];
    let last: Scene | undefined;
    for (let round = 0; round < ROUNDS; round++) {
      floors.push(await floorOf(resources, connections));
      await sleep(PAUSE_MS);
      last = await createScene();
      ours.push(await runOperator(last, resources, logProgress));
      await sleep(PAUSE_MS);
    }
    if (last === undefined) throw new Error('ROUNDS must be at least 1');
    const again = await resync(last, resources);
    logProgress(`a new operator reconciled everything twice: ${again.writes} writes, ${again.changed} objects changed`);
    checkResync(again);
    const phases = await runPodPhases(stage, await createScene(), pods, logProgress);
    const result = summarize({ resources, pods, floors, ours, again, phases });
    const failures = checkPods(phases);
    if (failures.length === 0) return result;
    // Print what was measured before failing.
    logProgress(buildTable('operator', result));
    throw new Error(failures.join('; '));
  } finally {
    for (const scene of scenes) await scene.close();
    await stage.close();
  }
}

async function runOperator(
  scene: Scene,
  count: number,
  logProgress: BenchOptions['logProgress'],
): Promise<Convergence> {
  const operator = await startOperator(scene.settings);
  try {
    const round = await converge(scene, operator, count);
    const creation = `created in ${seconds(round.createMs)}`;
    logProgress(
      `operator, ${count} of each kind: ${seconds(round.ms)} (${creation}); ${describeCounts(round.requests)}`,
    );
    return round;
  } finally {
    await operator.stop();
  }
}

/** Throws if an operator that had nothing to do wrote to the API server. */
function checkResync({ writes, changed }: Resync): void {
  if (writes + changed === 0) return;
  throw new Error(`the resync check failed: ${writes} writes and ${changed} changed objects although nothing was new`);
}

/** Returns the defects in the removal of workers. They do not depend on the speed. */
function checkPods({ wronglyDrained, lostBusy }: PodPhases): string[] {
  const checks: [boolean, string][] = [
    [wronglyDrained > 0, `${wronglyDrained} busy workers were drained while an idle one stayed`],
    [lostBusy > 0, `${lostBusy} pods were removed while they had streams`],
  ];
  return checks.flatMap(([failed, message]) => (failed ? [message] : []));
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
