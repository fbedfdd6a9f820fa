import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startRedis } from '../../test/support/redis.ts';
import { countKeys, judgeGrowth, readProcesses } from './resources.ts';

const series = (name: string, values: readonly number[]) => values.map((value) => ({ [name]: value }));

test.each([
  ['memory of gateway (MiB)', 116, 126, true],
  ['memory of gateway (MiB)', 100, 127, false],
  ['sockets of gateway', 100, 130, true],
  ['sockets of gateway', 100, 131, false],
  ['keys in Redis', 1000, 1300, true],
  ['keys in Redis', 1000, 1301, false],
])('judgeGrowth compares the second part of a run with the last one: %s from %i to %i', (name, early, late, passed) => {
  const samples = series(name, [1, 1, early, early, early, early, late, late]);
  expect(judgeGrowth(samples)).toEqual([{ name: `${name} did not grow`, passed, detail: `${early}, then ${late}` }]);
});

test('judgeGrowth returns nothing for a run with too few samples, or for a process that started late', () => {
  expect(judgeGrowth(series('keys in Redis', [1, 1, 1, 1, 1, 1, 9999]))).toEqual([]);
  const late = [...series('keys in Redis', [1, 1, 1, 1, 1, 1]), ...series('sockets of worker', [500, 500])];
  expect(judgeGrowth(late)).toEqual([]);
});

test('judgeGrowth fails a run in which most readings failed', () => {
  expect(judgeGrowth([], 1)).toEqual([{ name: 'resources were read', passed: false, detail: '1 readings failed' }]);
  expect(judgeGrowth(series('keys in Redis', [1, 1]), 2)).toEqual([]);
});

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
