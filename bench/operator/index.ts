/** The operator beside a bare client that sends the same requests, and what thousands of worker pods cost it. */
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

/** Resources of each of the two kinds, and worker pods. */
const SIZES = {
  quick: { resources: 100, pods: 200 },
  usual: { resources: 1000, pods: 2000 },
  full: { resources: 1000, pods: 10_000 },
} as const;
const WARMING = 20;
/** Connections of which the floor gets the number that is best for it, found with fewer resources. */
const CONNECTIONS = [16, 32, 64];
const SEARCHED = 60;
/** Rounds of each side, in turns. */
const ROUNDS = 2;
/** What Kubernetes' own controllers make of a round is not to disturb the next. */
const REST_MS = 10_000;

/** Time from creation to in force, against the floor; a look at everything without a write; pods by the thousands. */
export async function bench({ say, size = 'usual' }: BenchOptions): Promise<BenchResult> {
  const { resources, pods } = readSize(SIZES[size], process.env);
  say('starting etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kwok and Redis');
  const stage = await createStage();
  const scenes: Scene[] = [];
  const createScene = async () => {
    const scene = await stage.createScene();
    scenes.push(scene);
    return scene;
  };
  try {
    const { statuses } = await runOperator(await createScene(), WARMING, say);
    const floorOf = async (count: number, connections: number) => {
      const floor = await runFloor(await createScene(), count, connections, statuses);
      const of = `floor, ${count} of each kind, ${connections} connections`;
      say(`${of}: ${seconds(floor.ms)}; ${describeCounts(floor.requests)}`);
      return floor;
    };
    const connections = await findBest(CONNECTIONS, async (tried) => {
      const { ms } = await floorOf(Math.min(SEARCHED, resources), tried);
      return ms;
    });
    const floors: FloorRound[] = [];
    const ours: Convergence[] = [];
    let last: Scene | undefined;
    for (let round = 0; round < ROUNDS; round++) {
      floors.push(await floorOf(resources, connections));
      await sleep(REST_MS);
      last = await createScene();
      ours.push(await runOperator(last, resources, say));
      await sleep(REST_MS);
    }
    if (last === undefined) throw new Error('the operator had no round');
    const again = await resync(last, resources);
    say(
      `everything looked at anew by a fresh operator, twice: ${again.writes} writes, ${again.changed} objects changed`,
    );
    const phases = await runPodPhases(stage, await createScene(), pods, say);
    const result = summarize({ resources, pods, floors, ours, again, phases });
    const broken = findBroken(again, phases);
    if (broken.length === 0) return result;
    // What was measured is worth knowing all the same.
    say(buildTable('operator', result));
    throw new Error(broken.join('; '));
  } finally {
    for (const scene of scenes) await scene.close();
    await stage.close();
  }
}

async function runOperator(scene: Scene, count: number, say: BenchOptions['say']): Promise<Convergence> {
  const operator = await startOperator(scene.settings);
  try {
    const round = await converge(scene, operator, count);
    const made = `created in ${seconds(round.createMs)}`;
    say(`operator, ${count} of each kind: ${seconds(round.ms)} (${made}); ${describeCounts(round.requests)}`);
    return round;
  } finally {
    await operator.stop();
  }
}

/** Promises that were broken: no question of speed. */
function findBroken({ writes, changed }: Resync, { wronglyDrained, lostBusy }: PodPhases): string[] {
  const found: [boolean, string][] = [
    [writes + changed > 0, `a look at everything without news sent ${writes} writes and changed ${changed} objects`],
    [wronglyDrained > 0, `${wronglyDrained} busy workers were sent away while an idle one stayed`],
    [lostBusy > 0, `${lostBusy} pods were removed with streams on them`],
  ];
  return found.flatMap(([isBroken, what]) => (isBroken ? [what] : []));
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
