import { setTimeout as sleep } from 'node:timers/promises';
import { logProgress } from '../../tools/launch/terminal.mjs';
import { send } from '../support/answer.ts';
import { eventually } from '../support/eventually.ts';
import { expectBalanced } from '../e2e/balances.ts';
import { openHarness, SOON_MS } from '../e2e/harness.ts';
import { KIKUYU, openAccess, TENANT } from '../e2e/live-streams.ts';
import { applyPool, firstNode, POOL_MODEL, RECORDING, removePool, setPool, SLOTS, untilPods } from '../e2e/pool.ts';
import { openStream, startAudioSender } from '../e2e/streams.ts';

const TAINT = 'e2e.asr.svc.dev/provisioning';
/** Time for which a pod waits until the node accepts pods. A real node takes minutes to start. */
const PROVISION_MS = 20_000;
/**
 * Longest time, on a slow machine, from the readiness of the pod of the worker until the last stream receives `ready`.
 */
const MAX_READY_DELAY_MS = 30_000;

test('streams wait while the only node of their pool accepts no pods, and start as soon as a worker is ready', async () => {
  const harness = await openHarness();
  const access = await openAccess(harness);
  const node = firstNode();
  await harness.tools.kubectl(['taint', 'node', node, `${TAINT}=yes:NoSchedule`, '--overwrite']);
  await setPool(harness, node, 'a');
  await applyPool(harness, { scaling: { min: 0, max: 1, maxWaitSeconds: 900 } });
  const { baseUrl, ca, key } = access;
  const headers = { authorization: `Bearer ${key}` };
  await eventually('gateways offer the model', SOON_MS, async () => {
    return (await send(`${baseUrl}/v1/models`, { method: 'GET', ca, headers })).text.includes(POOL_MODEL);
  });
  const streams = await Promise.all(Array.from({ length: SLOTS }, () => openStream(access, POOL_MODEL)));
  const [waiting] = await untilPods(harness, 'a pod waits for the node', (pods) => pods.length === 1);
  await eventually('each stream is informed that it waits for a machine', SOON_MS, () =>
    streams.every(({ events }) =>
      events.some((event) => event.type === 'status' && event.message.includes('waits for a machine')),
    ),
  );
  await sleep(PROVISION_MS);
  const conditions = await harness.read(`asrmodel/${POOL_MODEL}`, '.status.conditions[?(@.status=="True")].type');
  expect(conditions.split(' ')).not.toContain('Degraded');

  const readyAtMs = Promise.all(
    streams.map(async (stream) => {
      await stream.next('ready', 2 * SOON_MS);
      return Date.now();
    }),
  );
  await harness.tools.kubectl(['taint', 'node', node, `${TAINT}-`]);
  const [pod] = await untilPods(harness, 'the pod is ready', (pods) => pods.some(({ isReady }) => isReady));
  const podReadyAtMs = Date.now();
  expect(pod?.name).toBe(waiting?.name);
  const delayMs = Math.max(...(await readyAtMs)) - podReadyAtMs;
  logProgress(`the last stream was ready ${delayMs} ms after the pod`);
  expect(delayMs).toBeLessThan(MAX_READY_DELAY_MS);
  const senders = streams.map((stream) => startAudioSender(stream, RECORDING, KIKUYU));
  for (const sender of senders) expect(await sender.finish()).toBeGreaterThan(0);
  await expectBalanced(harness, TENANT);
  await removePool(harness);
}, 900_000);
