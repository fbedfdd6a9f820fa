import { connected } from '../../../test/support/connected.ts';
import { startRedis } from '../../../test/support/redis.ts';
import { startRedisCluster } from '../../../test/support/redis-cluster.ts';
import { buildLibrary, FunctionsMissing, loadFunctions, withFunctions } from './functions.ts';
import { createLedger } from './ledger.ts';
import { connectRedis } from './redis/connect.ts';
import type { RedisConnection } from './redis/link.ts';

const MODELS = ['kikuyu', 'dholuo', 'kiswahili', 'luganda'];
const WORKER = { id: 'w1', address: 'ws://w1', revision: 'r1', slots: 2 };

describe.each([
  ['one Redis', () => startRedis(), 1],
  ['a Redis Cluster of three nodes', startRedisCluster, 3],
])('the Redis functions of workers on %s', (_, start, masters) => {
  let stop: () => Promise<void>;
  let link: RedisConnection;

  beforeAll(async () => {
    const redis = await start();
    ({ stop } = redis);
    link = connectRedis({ url: redis.url, name: 'test', timeoutMs: 5000 });
    await connected(link);
  });
  afterAll(async () => {
    await link.close();
    await stop();
  });
  beforeEach(async () => {
    for (const master of link.masters()) await master.send(['FUNCTION', 'FLUSH']);
  });

  /** Returns a ledger that calls functions, as workers do, and one that sends scripts, as the operator does. */
  const ledgers = () => ({
    worker: createLedger(withFunctions(link), { prefix: 'test' }),
    operator: createLedger(link, { prefix: 'test' }),
  });

  test('register, renew and remove a worker with the same results as the scripts', async () => {
    await loadFunctions(link.masters());
    const { worker, operator } = ledgers();
    for (const model of MODELS) {
      expect(await worker.workers.renew(model, 'w1')).toBe('gone');
      await worker.workers.register(model, WORKER);
      expect(await operator.workers.list(model)).toMatchObject([{ ...WORKER, active: 0, draining: false }]);
      expect(await worker.workers.renew(model, 'w1')).toBe('ok');
      await operator.workers.drain(model, 'w1');
      expect(await worker.workers.renew(model, 'w1')).toBe('draining');
      await worker.workers.remove(model, 'w1');
      expect(await operator.workers.list(model)).toEqual([]);
    }
  });

  test('are missing until they are loaded, and a call before that fails with an error that names the library', async () => {
    const { worker } = ledgers();
    await expect(worker.workers.renew('kikuyu', 'w1')).rejects.toThrow(FunctionsMissing);
    await expect(worker.workers.renew('kikuyu', 'w1')).rejects.toThrow(/svc_asr_1/);
  });

  test('are loaded into each master only once, and again if a master lost them or has a different text of the library', async () => {
    expect(await loadFunctions(link.masters())).toBe(masters);
    expect(await loadFunctions(link.masters())).toBe(0);
    const [first] = link.masters();
    await first?.send(['FUNCTION', 'FLUSH']);
    expect(await loadFunctions(link.masters())).toBe(1);
    await first?.send(['FUNCTION', 'LOAD', 'REPLACE', `${buildLibrary()}-- another build\n`]);
    expect(await loadFunctions(link.masters())).toBe(1);
  });

  test('can be loaded while functions of another version are loaded', async () => {
    const next = buildLibrary().replaceAll('svc_asr_1', 'svc_asr_2');
    for (const master of link.masters()) await master.send(['FUNCTION', 'LOAD', next]);
    expect(await loadFunctions(link.masters())).toBe(masters);
    expect(await ledgers().worker.workers.renew('kikuyu', 'w1')).toBe('gone');
  });
});

test('Redis keeps the functions of workers when it is restarted', async () => {
  const redis = await startRedis();
  const link = connectRedis({ url: redis.url, name: 'test', timeoutMs: 5000 });
  await connected(link);
  await loadFunctions(link.masters());
  await redis.kill();
  await redis.restart();
  await connected(link);
  expect(await loadFunctions(link.masters())).toBe(0);
  await link.close();
  await redis.stop();
});
