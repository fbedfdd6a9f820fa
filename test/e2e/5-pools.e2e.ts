import { drainOnlyNode } from './drain-pool.ts';
import { openHarness, until } from './harness.ts';
import { KIKUYU, openAccess } from './live-streams.ts';
import { removePool } from './pool.ts';

test('kubectl drain of the only node of a full pool cuts no stream, and all streams move when another node joins', async () => {
  const harness = await openHarness();
  await drainOnlyNode(harness, await openAccess(harness));
  await removePool(harness);
  await until(harness, `asrmodel/${KIKUYU}`, '.status.readyReplicas', '2');
}, 600_000);
