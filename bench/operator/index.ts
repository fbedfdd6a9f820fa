/**
 * Compares the operator with a minimal client that sends the same requests (the floor), and measures the operator with
 * thousands of pods.
 */
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
import { countResources, describeSize, findBest, limitSize, readSize } from './size.ts';
import type { Size } from './size.ts';
import { createStage } from './stage.ts';
import type { Scene } from './stage.ts';
import { summarize } from './summary.ts';
import type { ResourceFindings } from './summary.ts';

/**
 * Numbers of resources and worker pods. `rounds` is the number of measured rounds of the operator and of the minimal
 * client.
 */
const SIZES = {
  quick: { models: 100, tenants: 100, keys: 200, pods: 200, rounds: 2 },
  usual: { models: 1000, tenants: 1000, keys: 2000, pods: 2000, rounds: 2 },
  full: { models: 200, tenants: 10_000, keys: 20_000, pods: 2000, rounds: 1 },
} as const;
/**
 * Parts of the benchmark. `resources` compares the operator with the minimal client of floor.ts and checks the resync.
 * `pods` measures the operator with thousands of worker pods.
 */
export const PARTS = ['resources', 'pods'];
/** Number of resources of each kind in the first round, which is not measured. */
const WARM_UP_RESOURCES = 20;
/** Numbers of connections that are tried for the client of floor.ts. The number with the fastest round is used. */
const CONNECTIONS = [16, 32, 64];
/** Number of resources of each kind when the number of connections is chosen. */
const SEARCH_RESOURCES = 60;
/**
 * Pause after a round. During this pause, the controllers of Kubernetes finish their work on the objects of the round.
 */
const PAUSE_MS = 10_000;
/** Maximum number of changed objects that an error lists. */
const NAMED_OBJECTS = 10;

/**
 * Measures the time until new resources have converged, and compares it with the time of the minimal client of
 * floor.ts. Then checks that a resync writes nothing, and measures the scale-up, rollout and drain of worker pods.
 * Rejects if a check fails. The checks of pods and memory run after all measurements.
 */
export async function bench({ logProgress, size: sizeName = 'usual', part }: BenchOptions): Promise<BenchResult> {
  const size = readSize(SIZES[sizeName], process.env);
  const { rounds } = SIZES[sizeName];
  logProgress('starting etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kwok and Redis');
  const stage = await createStage();
  const scenes: Scene[] = [];
  const createScene = async () => {
    const scene = await stage.createScene();
    scenes.push(scene);
    return scene;
  };
  try {
    const resources = part === 'pods' ? undefined : await measureResources(size, rounds, createScene, logProgress);
    const isWithPods = part !== 'resources';
    const phases = isWithPods ? await runPodPhases(stage, await createScene(), size.pods, logProgress) : undefined;
    const result = summarize({ size, resources, phases });
    const failures = [...(phases === undefined ? [] : checkPods(phases)), ...checkMemory(result)];
    if (failures.length === 0) return result;
    // The benchmark fails only after its measurements are printed.
    logProgress(buildTable('operator', result));
    throw new Error(failures.join('; '));
  } finally {
    for (const scene of scenes) await scene.close();
    await stage.close();
  }
}

/**
 * Runs rounds of the operator and of a minimal program that makes the same writes (the floor), in turn. Each round has
 * a new cluster, because an API server becomes slower with the objects of earlier rounds. Then starts a new operator
 * that has nothing to write.
 */
async function measureResources(
  size: Size,
  rounds: number,
  createScene: () => Promise<Scene>,
  logProgress: BenchOptions['logProgress'],
): Promise<ResourceFindings> {
  const { statuses } = await runOperator(await createScene(), limitSize(size, WARM_UP_RESOURCES), logProgress);
  const floorOf = async (scene: Scene, part: Size, connections: number) => {
    const floor = await runFloor(scene, part, connections, statuses);
    const label = `floor, ${describeSize(part)}, ${connections} connections`;
    logProgress(`${label}: ${seconds(floor.ms)}; ${describeCounts(floor.requests)}`);
    return floor;
  };
  const connections = await findBest(CONNECTIONS, async (candidate) => {
    const { ms } = await floorOf(await createScene(), limitSize(size, SEARCH_RESOURCES), candidate);
    return ms;
  });
  const floors: FloorRound[] = [];
  const ours: Convergence[] = [];
  let again: Resync | undefined;
  for (let round = 1; round <= rounds; round++) {
    floors.push(await inNewCluster((scene) => floorOf(scene, size, connections)));
    again = await inNewCluster(async (scene) => {
      ours.push(await runOperator(scene, size, logProgress));
      if (round < rounds) return undefined;
      await sleep(PAUSE_MS);
      return resync(scene, countResources(size));
    });
  }
  if (again === undefined) throw new Error('a size must have at least one round');
  logProgress(
    `a new operator reconciled everything twice: ${again.writes} writes, ${again.changed.length} objects changed`,
  );
  checkResync(again);
  return { floors, ours, again };
}

async function inNewCluster<T>(run: (scene: Scene) => Promise<T>): Promise<T> {
  const stage = await createStage();
  try {
    const scene = await stage.createScene();
    try {
      return await run(scene);
    } finally {
      await scene.close();
    }
  } finally {
    await stage.close();
  }
}

async function runOperator(scene: Scene, size: Size, logProgress: BenchOptions['logProgress']): Promise<Convergence> {
  const operator = await startOperator(scene.settings);
  try {
    const round = await converge(scene, operator, size);
    const creation = `created in ${seconds(round.createMs)}`;
    logProgress(
      `operator, ${describeSize(size)}: ${seconds(round.ms)} (${creation}); ${describeCounts(round.requests)}`,
    );
    return round;
  } finally {
    await operator.stop();
  }
}

/** Throws if an operator that had nothing to do wrote to the API server. */
function checkResync({ writes, changed }: Resync): void {
  if (writes + changed.length === 0) return;
  const some = changed.slice(0, NAMED_OBJECTS).join(', ');
  throw new Error(
    `the resync check failed: ${writes} writes and ${changed.length} changed objects although nothing was new: ${some}`,
  );
}

/**
 * Returns an error for each rule that the operator violated when it removed workers. These errors do not depend on the
 * speed of the machine.
 */
function checkPods({ wronglyDrained, lostBusy }: PodPhases): string[] {
  const checks: [boolean, string][] = [
    [wronglyDrained > 0, `${wronglyDrained} busy workers were drained while an idle one stayed`],
    [lostBusy > 0, `${lostBusy} pods were removed while they had streams`],
  ];
  return checks.flatMap(([failed, message]) => (failed ? [message] : []));
}

/** Returns an error if the operator used more memory than the chart allows. */
function checkMemory({ figures }: BenchResult): string[] {
  const { peak_mib: peak = 0, memory_limit_mib: limit = 0 } = figures;
  return peak > limit ? [`the operator used ${peak.toFixed(0)} MiB, and the chart allows ${limit} MiB`] : [];
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
