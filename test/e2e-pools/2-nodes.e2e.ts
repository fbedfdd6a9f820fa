import { expectBalanced } from '../e2e/balances.ts';
import { drainOnlyNode } from '../e2e/drain-pool.ts';
import { openHarness } from '../e2e/harness.ts';
import type { Harness } from '../e2e/harness.ts';
import { KIKUYU, openAccess, TENANT } from '../e2e/live-streams.ts';
import { applyPool, finishWithoutStall, firstNode, POOL_MODEL, removePool, secondNode, setPool } from '../e2e/pool.ts';
import { SLOTS, startStream, untilFinals, untilPods, untilReady } from '../e2e/pool.ts';
import type { Access } from '../e2e/streams.ts';

const TIMEOUT_MS = 900_000;
let harness: Harness;
let access: Access;
beforeAll(async () => {
  harness = await openHarness();
  access = await openAccess(harness);
});

afterEach(() => removePool(harness));

// With --disable-eviction, kubectl deletes the worker despite the PodDisruptionBudget. The worker then serves until the
// end of its grace period.
test.each([[[]], [['--disable-eviction']]])(
  'kubectl drain with the options %j cuts no stream of a full pool with one node, and all streams move when another node joins',
  (args) => drainOnlyNode(harness, access, args),
  TIMEOUT_MS,
);

test.each([
  ['taint', 'aws-node-termination-handler/spot-itn', 'aws-node-termination-handler/spot-itn=notice:NoSchedule'],
  ['annotate', 'e2e.asr.svc.dev/reclaim', 'e2e.asr.svc.dev/reclaim=soon'],
])(
  'a spot notice by kubectl %s moves all streams to a worker on another node',
  async (command, key, value) => {
    const node = firstNode();
    await setPool(harness, node, 'a');
    await applyPool(harness, { scaling: { min: 1, max: 2 } });
    await untilReady(harness, 1);
    const senders = await Promise.all(Array.from({ length: SLOTS }, () => startStream(access)));
    const control = await startStream(access, KIKUYU);
    await setPool(harness, secondNode(), 'a');
    // Unlike the taint, the annotation does not keep new pods off the node. The node is therefore removed from the
    // pool, so that the replacement of its worker starts on the other node.
    await setPool(harness, node, undefined);
    await harness.tools.kubectl([command, 'node', node, value, '--overwrite']);
    try {
      await untilPods(harness, 'workers run only on the other node', (pods) => {
        return pods.length > 0 && pods.every((pod) => pod.node === secondNode() && pod.isReady);
      });
      await untilFinals(senders, 1);
      await finishWithoutStall(`spot notice by ${command}`, senders, control);
      const events = ['get', 'events', `--field-selector=involvedObject.name=${POOL_MODEL},reason=NodeLeaving`];
      expect(await harness.kubectl([...events, '-o', 'jsonpath={.items[*].message}'])).toContain(node);
    } finally {
      await harness.tools.kubectl([command, 'node', node, `${key}-`]);
    }
    await expectBalanced(harness, TENANT);
  },
  TIMEOUT_MS,
);
