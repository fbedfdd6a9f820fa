import { setTimeout as sleep } from 'node:timers/promises';
import { TYPES } from '@svc-asr/kubernetes';
import { createNodes } from '../../test/support/kubernetes/nodes.ts';
import { createCrowd } from './crowd.ts';
import { createDrainWatch } from './drains.ts';
import { startOperator } from './operator-process.ts';
import { buildModel, GPU, nameOf, SLOTS } from './resources.ts';
import type { Scene, Stage } from './stage.ts';
import { startWorkforce } from './workforce.ts';

const GPUS_OF_NODE = 8;
/** Capacity of the nodes relative to the desired number of pods. A rollout needs room for additional pods. */
const ROOM = 1.2;
const WORKERS_OF_MODEL = 500;
const BUFFER_PERCENT = 25;
const DOWN_STEPS = 4;
const POLL_MS = 300;
const TIMEOUT_MS = 1_800_000;
const NODES_AT_ONCE = 8;

export interface PodPhases {
  scaleUpMs: number;
  rolloutMs: number;
  drainMs: number;
  /**
   * Number of workers that were started in all phases. The scale-up and the rollout each need one worker per pod. A
   * value above twice the number of pods means that workers were started needlessly.
   */
  started: number;
  /** Number of drained workers. */
  drained: number;
  /** Number of drained workers that had streams to move. */
  drainedBusy: number;
  /**
   * Number of workers that were drained while they had streams, although another worker of the same revision was idle.
   */
  wronglyDrained: number;
  /** Number of pods that were removed while they had a stream. */
  lostBusy: number;
  residentBytes: number;
  peakBytes: number;
  cpuSeconds: number;
}

/** Runs a scale-up, a rollout and a drain with `pods` worker pods. */
export async function runPodPhases(
  stage: Stage,
  scene: Scene,
  pods: number,
  logProgress: (line: string) => void,
): Promise<PodPhases> {
  const names = Array.from({ length: Math.ceil(pods / WORKERS_OF_MODEL) }, (_, at) => nameOf('model', at));
  const each = Math.floor(pods / names.length);
  await createGpuNodes(stage, Math.ceil((pods * ROOM) / GPUS_OF_NODE));
  const api = scene.client(8);
  const operator = await startOperator(scene.settings);
  const drains = createDrainWatch();
  const crowds = new Map(names.map((name) => [name, createCrowd(scene.ledger, name)]));
  const workforce = await startWorkforce(scene, (model, worker) => crowds.get(model)?.isOn(worker) === true);

  /** Places sessions as gateways do, until the condition is true. Returns how long that took. */
  async function until(what: string, isSo: () => boolean): Promise<number> {
    const startMs = performance.now();
    while (!isSo()) {
      if (performance.now() - startMs > TIMEOUT_MS) throw new Error(`timed out: ${what}`);
      await sleep(POLL_MS);
      for (const [model, crowd] of crowds) {
        const records = await scene.ledger.workers.list(model);
        drains.observe(model, records);
        await crowd.settle(records);
      }
    }
    const ms = performance.now() - startMs;
    logProgress(`${what}: ${(ms / 1000).toFixed(1)} s`);
    return ms;
  }
  const settled = () => [...crowds.values()].every((crowd) => crowd.placed() === crowd.size());
  const wanted = () =>
    [...crowds.values()].reduce((sum, crowd) => {
      const buffer = Math.ceil((crowd.size() * BUFFER_PERCENT) / 100);
      return sum + Math.ceil((crowd.size() + buffer) / SLOTS);
    }, 0);

  try {
    const scaling = {
      max: each + 1,
      bufferSessions: 0,
      bufferPercent: BUFFER_PERCENT,
      scaleDownDelaySeconds: 5,
      idleToZeroSeconds: 5,
    };
    for (const name of names) await api.create(TYPES.ASRModel, buildModel(name, scaling));
    const sessions = Math.floor((each * SLOTS * 100) / (100 + BUFFER_PERCENT));
    await sleep(POLL_MS);
    for (const crowd of crowds.values()) await crowd.claim(sessions);
    const isUp = () => workforce.pods().length === wanted() && workforce.ready() === wanted() && settled();
    const scaleUpMs = await until(`${wanted()} worker pods from zero, every session on one`, isUp);

    const old = new Set(workforce.pods().map(({ revision }) => revision));
    for (const name of names) {
      const worker = { image: 'example.invalid/worker:2' };
      await api.mergePatch(TYPES.ASRModel, name, { spec: { worker } });
    }
    const isNew = () => workforce.pods().every(({ revision }) => !old.has(revision));
    const rolloutMs = await until('rollout of another image', () => isNew() && isUp());

    let drainMs = 0;
    for (let step = DOWN_STEPS; step > 0; step--) {
      for (const crowd of crowds.values()) await crowd.end(Math.ceil(crowd.size() / step));
      drainMs += await until(`down to ${wanted()} pods`, () => workforce.pods().length <= wanted() && settled());
    }
    const { drained, busy } = drains.counts();
    const found = { drained, drainedBusy: busy, wronglyDrained: drains.wrong(), lostBusy: workforce.lostBusy() };
    const started = workforce.started();
    return { scaleUpMs, rolloutMs, drainMs, started, ...found, ...operator.usage() };
  } finally {
    await workforce.stop();
    await operator.stop();
  }
}

async function createGpuNodes({ kubernetes }: Stage, count: number): Promise<void> {
  const names = Array.from({ length: count }, (_, at) => `gpu-${String(at).padStart(5, '0')}`);
  const parts = Array.from({ length: NODES_AT_ONCE }, (_, part) =>
    names.filter((_name, at) => at % NODES_AT_ONCE === part),
  );
  await Promise.all(parts.map((part) => createNodes(kubernetes.request, part, { [GPU]: String(GPUS_OF_NODE) })));
}
