import { logProgress } from '../../tools/launch/terminal.mjs';
import { eventually } from '../support/eventually.ts';
import { readSetting } from './environment.ts';
import { SOON_MS, until } from './harness.ts';
import type { Harness } from './harness.ts';
import { KIKUYU } from './live-streams.ts';
import { buildModel } from './release.ts';
import { openStream, startAudioSender } from './streams.ts';
import type { Access, AudioSender } from './streams.ts';

/** Model of the tests about pools. It has the files of the Kikuyu model and nodes of its own. */
export const POOL_MODEL = 'pool-kikuyu';
/** Selects the pods of the model. */
export const POOL_SELECTOR = `asr.svc.dev/model=${POOL_MODEL}`;
/** Slots of a worker of the model. */
export const SLOTS = 2;
/** Label of the nodes of a pool. A node joins a pool when it gets the label. */
const NODE_LABEL = 'e2e.asr.svc.dev/pool';
/** Recording that the streams repeat. */
export const RECORDING = 'ki_espeak_009';
/** Extended resource of the nodes. Each worker that requests ACCELERATOR occupies one device. */
const DEVICE = 'e2e.asr.svc.dev/gpu';
export const ACCELERATOR = { resource: DEVICE };
/** Longest time for which a move may delay the transcript of a stream. */
const MAX_STALL_MS = 3000;
/** Longest lag of a stream that is not moved, on a machine with an idle core. */
const USUAL_LAG_MS = 1000;

/** Returns the node selector of a pool. */
export const nodesOf = (pool: string) => ({ [NODE_LABEL]: pool });
/** Nodes that the tests add to pools. The first one is drained. The pod of access.ts runs on the second one. */
export const firstNode = () => readSetting('E2E_DRAIN_NODE');
export const secondNode = () => readSetting('E2E_ACCESS_NODE');

interface Variable {
  name: string;
  value: string;
}

/**
 * Environment variable that makes workers offer all of their slots even on a slow machine. The tests rely on this
 * number of slots.
 */
const ALL_SLOTS: Variable = { name: 'LEAST_SLOTS_PERCENT', value: '100' };

interface PoolSpec {
  worker?: { env?: readonly Variable[]; [field: string]: unknown };
  scaling?: object;
  [field: string]: unknown;
}

/**
 * Creates the model, or changes it. Its workers run on the nodes of the pool `a`, unless `worker` or `pools` is given.
 */
export async function applyPool(harness: Harness, { worker, scaling = {}, ...spec }: PoolSpec): Promise<void> {
  const model = buildModel(KIKUYU, 'Kikuyu', 'ki', scaling);
  const single = { ...model.spec.worker, slots: SLOTS, ...(worker ?? { nodeSelector: nodesOf('a') }) };
  // If the model has tiers, each tier sets these fields itself.
  const fields = spec.pools === undefined ? single : {};
  const ownWorker = { worker: { ...fields, env: [ALL_SLOTS, ...(worker?.env ?? [])] } };
  const changed = { ...model, metadata: { name: POOL_MODEL }, spec: { ...model.spec, ...ownWorker, ...spec } };
  await harness.kubectl(['apply', '-f', '-'], { input: JSON.stringify(changed) });
}

/** Removes the nodes from their pools, uncordons them, and deletes the model and its workers. */
export async function removePool(harness: Harness): Promise<void> {
  for (const node of [firstNode(), secondNode()]) {
    await setPool(harness, node, undefined);
    await harness.tools.kubectl(['uncordon', node]);
  }
  await harness.kubectl(['delete', 'asrmodel', POOL_MODEL, '--ignore-not-found', '--timeout=180s'], {
    timeoutMs: 190_000,
  });
}

/** Adds a node to a pool, or removes it from its pool. Pods that run on the node stay. */
export async function setPool({ tools }: Harness, node: string, pool: string | undefined): Promise<void> {
  const label = pool === undefined ? `${NODE_LABEL}-` : `${NODE_LABEL}=${pool}`;
  await tools.kubectl(['label', 'node', node, label, '--overwrite']);
}

/** Sets the number of devices of a node, as a device plugin does. Undefined removes them. */
export async function setDevices({ tools }: Harness, node: string, count: number | undefined): Promise<void> {
  const devices = { [DEVICE]: count === undefined ? null : String(count) };
  const patch = JSON.stringify({ status: { capacity: devices, allocatable: devices } });
  await tools.kubectl(['patch', 'node', node, '--subresource=status', '--type=merge', '-p', patch]);
}

/** A pod of the pool. */
export interface PoolPod {
  name: string;
  /** Empty while the pod is not scheduled. */
  node: string;
  isReady: boolean;
  isTerminating: boolean;
}

interface PodList {
  items: {
    metadata: { name: string; deletionTimestamp?: string };
    spec: { nodeName?: string };
    status: { conditions?: { type: string; status: string }[] };
  }[];
}

/** Returns the pods of the model. */
export async function listPods(harness: Harness): Promise<PoolPod[]> {
  const args = ['get', 'pods', '-l', POOL_SELECTOR, '-o', 'json'];
  const { items } = JSON.parse(await harness.kubectl(args)) as PodList;
  return items.map(({ metadata, spec, status }) => ({
    name: metadata.name,
    node: spec.nodeName ?? '',
    isReady: status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true,
    isTerminating: metadata.deletionTimestamp !== undefined,
  }));
}

/** Waits until the pods of the model meet a condition; resolves with them. */
export async function untilPods(
  harness: Harness,
  what: string,
  isMet: (pods: readonly PoolPod[]) => boolean,
): Promise<readonly PoolPod[]> {
  let last: readonly PoolPod[] = [];
  return eventually(what, SOON_MS, async () => {
    last = await listPods(harness);
    return isMet(last) && last;
  }).catch((error: unknown) => {
    throw new Error(`${String(error)}; the pods are ${JSON.stringify(last)}`);
  });
}

/** Waits until this many workers of the model are ready. */
export async function untilReady(harness: Harness, workers: number): Promise<void> {
  await until(harness, `asrmodel/${POOL_MODEL}`, '.status.readyReplicas', String(workers));
}

/** Opens a stream of a model, waits until it has a slot, and starts to send audio on it. */
export async function startStream(access: Access, model = POOL_MODEL): Promise<AudioSender> {
  const stream = await openStream(access, model, 300);
  await stream.next('ready', SOON_MS);
  return startAudioSender(stream, RECORDING, KIKUYU);
}

/** Waits until each stream has received this many further transcripts. */
export async function untilFinals(senders: readonly AudioSender[], further: number): Promise<void> {
  const wanted = senders.map(({ finals }) => finals + further);
  await eventually(`each stream has ${further} further transcripts`, SOON_MS, () =>
    senders.every(({ finals }, index) => finals >= (wanted[index] ?? 0)),
  );
}

/**
 * Ends streams, checks their transcripts, and logs the longest lag of each stream. Returns these lags. The last one is
 * the lag of the control stream.
 */
export async function finishStreams(
  what: string,
  moved: readonly AudioSender[],
  control: AudioSender,
): Promise<number[]> {
  for (const sender of [...moved, control]) expect(await sender.finish()).toBeGreaterThan(0);
  const lagsMs = [...moved, control].map(({ longestLagMs }) => longestLagMs);
  logProgress(`${what}: longest lags in ms ${lagsMs.join(', ')}; the last stream was not moved`);
  return lagsMs;
}

/**
 * Ends streams and checks their transcripts. None may have stalled for more than 3 s. The lag of `control`, a stream
 * that was not moved, shows how slow the machine is. The limit grows in proportion to this lag.
 */
export async function finishWithoutStall(
  what: string,
  moved: readonly AudioSender[],
  control: AudioSender,
): Promise<void> {
  const lagsMs = await finishStreams(what, moved, control);
  const controlMs = lagsMs.pop() ?? 0;
  expect(Math.max(...lagsMs)).toBeLessThan(MAX_STALL_MS * Math.max(1, controlMs / USUAL_LAG_MS));
}
