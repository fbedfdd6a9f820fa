import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startRedis } from '../../test/support/redis.ts';
import { countKeys, readProcesses } from './resources.ts';

test('readProcesses and countKeys read the resources of a Redis that this process has started', async () => {
  const redis = await startRedis();
  try {
    expect(readProcesses(process.pid)).toMatchObject({
      'memory of redis-server (MiB)': expect.any(Number) as number,
      'sockets of redis-server': expect.any(Number) as number,
    });
    expect(await countKeys(redis.url)).toBe(0);
    const child = spawn('redis-cli', ['-u', redis.url, 'SET', 'a', 'b']);
    await once(child, 'exit');
    expect(await countKeys(redis.url)).toBe(1);
  } finally {
    await redis.stop();
  }
});
