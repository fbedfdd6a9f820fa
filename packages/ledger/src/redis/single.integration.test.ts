import { connected } from '../../../../test/support/connected.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { startRedis } from '../../../../test/support/redis.ts';
import { ask } from '../../../../test/support/redis-cluster.ts';
import { connectRedis } from './connect.ts';
import { LedgerUnavailable } from './link.ts';

test('connectRedis opens a new connection if Redis became a replica, because its host name may now resolve to the new primary', async () => {
  const redis = await startRedis();
  const link = connectRedis({ url: redis.url, name: 'test', timeoutMs: 1000 });
  try {
    await connected(link);
    const id = await link.send('', ['CLIENT', 'ID']);
    await ask(redis.port, 'REPLICAOF 127.0.0.1 1');
    await expect(link.send('k', ['SET', 'k', 'v'])).rejects.toThrow(LedgerUnavailable);
    await eventually('the connection is another one', 30_000, async () => {
      await link.send('k', ['SET', 'k', 'v']).catch(() => undefined);
      const current = await link.send('', ['CLIENT', 'ID']).catch(() => id);
      return current !== id;
    });
    await ask(redis.port, 'REPLICAOF NO ONE');
    await connected(link);
    expect(await link.send('k', ['SET', 'k', 'v'])).toBe('OK');
  } finally {
    await link.close();
    await redis.stop();
  }
});
