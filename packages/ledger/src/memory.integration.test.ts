import type { Ledger } from './ledger.ts';
import { openLedger } from '../../../test/support/ledger.ts';
import { startRedis } from '../../../test/support/redis.ts';
import { startRedisCluster } from '../../../test/support/redis-cluster.ts';

async function withLedger(url: string, work: (ledger: Ledger) => Promise<void>): Promise<void> {
  const ledger = await openLedger(url);
  try {
    await work(ledger);
  } finally {
    await ledger.link.close();
  }
}

test('memory.read() returns used bytes, limit and eviction policy of a single Redis server', async () => {
  const redis = await startRedis(['--maxmemory', '64mb', '--maxmemory-policy', 'allkeys-lru']);
  await withLedger(redis.url, async (ledger) => {
    const [node, ...others] = await ledger.memory.read();
    expect(others).toEqual([]);
    expect(node).toMatchObject({ limitBytes: 64 * 2 ** 20, policy: 'allkeys-lru' });
    expect(node!.usedBytes).toBeGreaterThan(100_000);
  });
  await redis.stop();
});

test('memory.read() returns exactly one entry for each node of a Redis Cluster', async () => {
  const redis = await startRedisCluster();
  await withLedger(redis.url, async (ledger) => {
    expect((await ledger.memory.read()).map(({ policy }) => policy)).toEqual(Array(3).fill('noeviction'));
  });
  await redis.stop();
});
