import { drainOnlyNode } from './drain-pool.ts';
import { openHarness, until } from './harness.ts';
import { KIKUYU, openAccess } from './live-streams.ts';
import { finishStreams, POOL_SELECTOR, removePool } from './pool.ts';

test('kubectl drain of the only node of a full pool cuts no stream, and all streams move when another node joins', async () => {
  const harness = await openHarness();
  // Only the workers of the pool are evicted, because a gateway on the node would keep its streams until they end. The
  // lag of the streams is not limited here, because it depends on the machine. `npm run e2e -- --suite pools` limits
  // it.
  const args = [`--pod-selector=${POOL_SELECTOR}`];
  await drainOnlyNode(harness, await openAccess(harness), args, finishStreams);
  await removePool(harness);
  await until(harness, `asrmodel/${KIKUYU}`, '.status.readyReplicas', '2');
}, 600_000);
