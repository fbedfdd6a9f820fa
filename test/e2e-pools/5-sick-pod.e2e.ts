import { expectBalanced } from '../e2e/balances.ts';
import { imageReference } from '../e2e/environment.ts';
import { openHarness } from '../e2e/harness.ts';
import { openAccess, TENANT } from '../e2e/live-streams.ts';
import { applyPool, firstNode, POOL_MODEL, removePool, secondNode, setPool } from '../e2e/pool.ts';
import { startStream, untilFinals, untilPods, untilReady } from '../e2e/pool.ts';

/**
 * Program that kills the worker process of its pod each time the worker process starts. It runs in a second container
 * of the pod, and the containers share a PID namespace. The second container keeps running when the container of the
 * worker restarts, so the worker never becomes ready again.
 */
const KILL_WORKER = `
const { readdirSync, readFileSync } = require('node:fs');
setInterval(() => {
  for (const id of readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name)))
    try {
      const [, program] = readFileSync('/proc/' + id + '/cmdline', 'utf8').split('\\0');
      if (program === '/app/worker/dist/main.js') process.kill(Number(id), 'SIGKILL');
    } catch {}
}, 100);
`;

test('a crash-looping worker is replaced on another node, and its streams continue', async () => {
  const harness = await openHarness();
  const access = await openAccess(harness);
  const [node, otherNode] = [firstNode(), secondNode()];
  await setPool(harness, node, 'a');
  await applyPool(harness, { scaling: { min: 1, max: 2 } });
  await untilReady(harness, 1);
  const [sick] = await untilPods(harness, 'one worker runs', (pods) => pods.length === 1);
  const senders = [await startStream(access)];
  // Only the second node belongs to the pool `a` while the second worker starts, so the worker runs there. Later
  // workers can run on either node.
  await setPool(harness, node, undefined);
  await setPool(harness, otherNode, 'a');
  await applyPool(harness, { scaling: { min: 2, max: 2 } });
  await untilReady(harness, 2);
  await setPool(harness, node, 'a');
  senders.push(await startStream(access));

  const degraded = () =>
    harness.read(`asrmodel/${POOL_MODEL}`, '.status.conditions[?(@.type=="Degraded")].lastTransitionTime');
  const degradedBefore = await degraded();
  const image = [`--image=${imageReference('svc-asr-worker')}`, '--image-pull-policy=IfNotPresent'];
  const container = ['--container=killer', '--profile=restricted', ...image, '--', 'node', '-e', KILL_WORKER];
  await harness.kubectl(['debug', sick?.name ?? '', ...container]);
  await untilPods(harness, 'both workers are on the other node', (pods) => {
    return pods.length === 2 && pods.every((pod) => pod.isReady && pod.node === otherNode);
  });
  // The other workers are ready, so one bad pod does not change the condition Degraded of the model.
  expect(await degraded()).toBe(degradedBefore);
  await untilFinals(senders, 1);
  for (const sender of senders) expect(await sender.finish()).toBeGreaterThan(0);
  await expectBalanced(harness, TENANT);
  await removePool(harness);
}, 900_000);
