import { expectBalanced } from './balances.ts';
import { SOON_MS } from './harness.ts';
import type { Harness } from './harness.ts';
import { KIKUYU, TENANT } from './live-streams.ts';
import { applyPool, finishWithoutStall, firstNode, secondNode, setPool } from './pool.ts';
import { SLOTS, startStream, untilFinals, untilPods, untilReady } from './pool.ts';
import type { finishStreams } from './pool.ts';
import type { Access } from './streams.ts';

/**
 * Drains the only node of a full pool while its streams are live, and adds a second node some time later. Until the
 * second node joins, no stream may be interrupted. Afterwards all streams must move to it. `args` are passed to
 * `kubectl drain`. `finish` ends the streams and checks them.
 */
export async function drainOnlyNode(
  harness: Harness,
  access: Access,
  args: readonly string[] = [],
  finish: (...streams: Parameters<typeof finishStreams>) => Promise<unknown> = finishWithoutStall,
): Promise<void> {
  const [node, lateNode] = [firstNode(), secondNode()];
  await setPool(harness, node, 'a');
  await applyPool(harness, { scaling: { min: 1, max: 1 } });
  await untilReady(harness, 1);
  const senders = await Promise.all(Array.from({ length: SLOTS }, () => startStream(access)));
  const control = await startStream(access, KIKUYU);
  const [before] = await untilPods(harness, 'one pod serves', (pods) => pods.length === 1);

  const command = ['drain', node, '--ignore-daemonsets', '--delete-emptydir-data', ...args];
  const drained = harness.tools.kubectl([...command, `--timeout=${(2 * SOON_MS) / 1000}s`], {
    timeoutMs: 2 * SOON_MS + 10_000,
  });
  drained.catch(() => undefined);
  await untilPods(harness, 'a replacement waits for a node', (pods) => pods.some((pod) => pod.node === ''));
  await untilFinals(senders, 1);

  await setPool(harness, lateNode, 'a');
  await untilPods(harness, 'the only pod is on the other node', (pods) => {
    return pods.every((pod) => pod.name !== before?.name && pod.node === lateNode && pod.isReady);
  });
  await drained;
  await untilFinals(senders, 1);
  await finish(`kubectl ${command.join(' ')}`, senders, control);
  await expectBalanced(harness, TENANT);
}
