import { expectBalanced } from '../e2e/balances.ts';
import { openHarness, until } from '../e2e/harness.ts';
import type { Harness } from '../e2e/harness.ts';
import { KIKUYU, openAccess, TENANT } from '../e2e/live-streams.ts';
import { ACCELERATOR, applyPool, finishStreams, firstNode, nodesOf, POOL_MODEL, removePool } from '../e2e/pool.ts';
import {
  secondNode,
  setDevices,
  setPool,
  SLOTS,
  startStream,
  untilFinals,
  untilPods,
  untilReady,
} from '../e2e/pool.ts';
import type { Access, AudioSender } from '../e2e/streams.ts';

const TIMEOUT_MS = 900_000;
const WORKERS = 2;
const [FIRST_PING_MS, SECOND_PING_MS] = [20_000, 15_000];
/** Value of PING_MS below its minimum, with which a worker refuses to start. */
const REFUSED_PING_MS = 1;
const ZERO_SURGE = { maxSurge: 0, maxUnavailable: 1 };
let harness: Harness;
let access: Access;
beforeAll(async () => {
  harness = await openHarness();
  access = await openAccess(harness);
});
afterEach(async () => {
  await removePool(harness);
  for (const node of [firstNode(), secondNode()]) await setDevices(harness, node, undefined);
});

/** Applies the model with PING_MS as an environment variable of its workers. Each new value creates a new revision. */
async function applyRevision(pingMs: number, rollout: object): Promise<void> {
  await applyPool(harness, {
    worker: {
      nodeSelector: nodesOf('a'),
      accelerator: ACCELERATOR,
      env: [{ name: 'PING_MS', value: String(pingMs) }],
    },
    scaling: { min: WORKERS, max: WORKERS },
    rollout,
  });
}

/** Starts the workers and their streams, and one stream of another model. */
async function startPool(devices: number, rollout: object, streams: number) {
  for (const node of [firstNode(), secondNode()]) {
    await setDevices(harness, node, devices);
    await setPool(harness, node, 'a');
  }
  await applyRevision(FIRST_PING_MS, rollout);
  await untilReady(harness, WORKERS);
  const senders: AudioSender[] = await Promise.all(Array.from({ length: streams }, () => startStream(access)));
  return { senders, control: await startStream(access, KIKUYU) };
}

const readModel = (path: string) => harness.read(`asrmodel/${POOL_MODEL}`, path);
const conditionPath = (type: string, field: string) => `.status.conditions[?(@.type=="${type}")].${field}`;

test(
  'a rollout with maxSurge 0 replaces all workers of a full pool without an additional device, and cuts no stream',
  async () => {
    // The limit of the latency is high, so that a slow machine does not make the operator roll the revision back.
    const rollout = { ...ZERO_SURGE, maxDeltaP95Ms: 60_000, windowSeconds: 1 };
    const { senders, control } = await startPool(1, rollout, WORKERS * SLOTS);
    const before = await untilPods(harness, 'both workers run', (pods) => pods.length === WORKERS);
    const revision = await readModel('.status.revision');
    let mostPods = 0;
    const untilCounted = (what: string, isMet: Parameters<typeof untilPods>[2]) =>
      untilPods(harness, what, (pods) => {
        // A terminating pod may still be listed when its device is already free for the next pod.
        mostPods = Math.max(mostPods, pods.filter(({ isTerminating }) => !isTerminating).length);
        return isMet(pods);
      });
    await applyRevision(SECOND_PING_MS, rollout);
    await untilCounted('one worker drains', (pods) => pods.some(({ isReady }) => !isReady));
    // No slot is free elsewhere, so the draining worker continues to serve its streams.
    await untilFinals(senders, 2);
    const ending = senders.splice(0, SLOTS);
    for (const sender of ending) expect(await sender.finish()).toBeGreaterThan(0);
    await untilCounted('both workers were replaced', (pods) => {
      const isNew = (name: string) => before.every((pod) => pod.name !== name);
      return pods.length === WORKERS && pods.every(({ name, isReady }) => isReady && isNew(name));
    });
    expect(mostPods).toBe(WORKERS);
    await until(harness, `asrmodel/${POOL_MODEL}`, conditionPath('Progressing', 'reason'), 'Settled');
    expect(await readModel('.status.revision')).not.toBe(revision);
    await untilFinals(senders, 1);
    await finishStreams('rollout with maxSurge 0', senders, control);
    await expectBalanced(harness, TENANT);
  },
  TIMEOUT_MS,
);

test.each([
  ['if a device for a further worker is free', 2, {}, WORKERS * SLOTS],
  ['if maxSurge is 0 and no further device is free', 1, ZERO_SURGE, SLOTS],
])(
  'a revision whose workers never start is rolled back %s, and no stream is cut',
  async (_where, devices, room, streams) => {
    const rollout = { ...room, startSeconds: 20 };
    const { senders, control } = await startPool(devices, rollout, streams);
    const revision = await readModel('.status.revision');
    await applyRevision(REFUSED_PING_MS, rollout);
    await until(harness, `asrmodel/${POOL_MODEL}`, conditionPath('Degraded', 'reason'), 'RolledBack');
    expect(await readModel(conditionPath('Degraded', 'message'))).toContain('no worker was ready within 20 s');
    await untilPods(harness, 'only workers that are ready are left', (pods) => {
      return pods.length === WORKERS && pods.every(({ isReady }) => isReady);
    });
    expect(await readModel('.status.revision')).toBe(revision);
    await untilFinals(senders, 1);
    await finishStreams('rollback', senders, control);
    await expectBalanced(harness, TENANT);
  },
  TIMEOUT_MS,
);
