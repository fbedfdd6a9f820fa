import { expectBalanced } from '../e2e/balances.ts';
import { openHarness, until } from '../e2e/harness.ts';
import type { Harness } from '../e2e/harness.ts';
import { openAccess, TENANT } from '../e2e/live-streams.ts';
import { applyPool, firstNode, nodesOf, POOL_MODEL, removePool, secondNode, setPool } from '../e2e/pool.ts';
import { SLOTS, startStream, untilFinals, untilPods } from '../e2e/pool.ts';

/** Waits until a field of a tier in the status of the model has this value. */
const untilTier = (harness: Harness, tier: string, field: string, value: number) =>
  until(harness, `asrmodel/${POOL_MODEL}`, `.status.pools[?(@.name=="${tier}")].${field}`, String(value));

test('a stream that does not fit into the preferred tier uses the next tier, whose worker is removed when no stream needs it', async () => {
  const harness = await openHarness();
  const access = await openAccess(harness);
  await setPool(harness, firstNode(), 'a');
  await setPool(harness, secondNode(), 'b');
  const tier = { slots: SLOTS, provider: 'cpu', resources: { requests: { cpu: '50m', memory: '256Mi' } } };
  const reserved = { ...tier, name: 'reserved', priority: 20, min: 1, max: 1, nodeSelector: nodesOf('a') };
  const overflow = { ...tier, name: 'overflow', priority: 10, max: 1, nodeSelector: nodesOf('b') };
  await applyPool(harness, { pools: [reserved, overflow] });
  await untilTier(harness, 'reserved', 'ready', 1);
  const senders = [];
  // The last stream does not fit into the preferred tier.
  for (let i = 0; i < SLOTS + 1; i++) senders.push(await startStream(access));
  await untilTier(harness, 'reserved', 'used', SLOTS);
  await untilTier(harness, 'overflow', 'used', 1);
  await untilPods(harness, 'each tier has a pod on its own node', (pods) => {
    return (
      pods
        .map(({ node }) => node)
        .sort()
        .join() === [firstNode(), secondNode()].sort().join()
    );
  });
  await untilFinals(senders, 1);

  const [first, ...others] = senders;
  expect(await first?.finish()).toBeGreaterThan(0);
  const late = await startStream(access);
  await untilTier(harness, 'reserved', 'used', SLOTS);
  expect(await others.pop()?.finish()).toBeGreaterThan(0);
  await untilPods(harness, 'only the preferred tier has a pod', (pods) => {
    return pods.length === 1 && pods[0]?.node === firstNode();
  });
  await untilFinals([...others, late], 1);
  for (const sender of [...others, late]) expect(await sender.finish()).toBeGreaterThan(0);
  await expectBalanced(harness, TENANT);
  await removePool(harness);
}, 900_000);
