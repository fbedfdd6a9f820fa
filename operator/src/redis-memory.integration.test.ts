import { startRedis } from '../../test/support/redis.ts';
import { eventually } from './testing/eventually.ts';
import { createTestFolder, openLedger, startTestOperator } from './testing/harness.ts';
import { createTestLogger } from './testing/logs.ts';
import { createRedisMemoryWatch } from './redis-memory.ts';
import { tenant } from './testing/resources.ts';

test('the operator creates no Redis key while Redis may evict data, logs how to change the policy, and is ready after the change', async () => {
  const redis = await startRedis(['--maxmemory', '64mb', '--maxmemory-policy', 'allkeys-lru']);
  const folder = createTestFolder();
  folder.write('acme.yaml', tenant('acme', { state: 'Active', grants: [{ id: 'first', audioSeconds: 60 }] }));
  const { ledger, close } = openLedger(redis.url);
  const operator = await startTestOperator([folder.path], redis.url, { LEDGER_INTERVAL_MS: '50' });
  try {
    await eventually(() =>
      expect(operator.lines.map(({ message }) => message).join()).toContain('maxmemory-policy is allkeys-lru'),
    );
    const { status, body } = await operator.get('/readyz');
    expect(status).toBe(503);
    expect(body).toContain('CONFIG SET maxmemory-policy noeviction');
    expect(await ledger.link.send('', ['DBSIZE'])).toBe(0);
    await ledger.link.send('', ['CONFIG', 'SET', 'maxmemory-policy', 'noeviction']);
    // The operator reads the policy again within 10 s.
    await eventually(async () => expect((await operator.get('/readyz')).status).toBe(200));
    await eventually(async () => expect(await ledger.accounts.read('acme')).toMatchObject({ grantedMs: 60_000 }));
    const { body: metrics } = await operator.get('/metrics');
    expect(metrics).toMatch(/^svc_asr_redis_memory_used_bytes(\{.*\})? \d{6,}$/m);
    expect(metrics).toMatch(/^svc_asr_redis_memory_limit_bytes(\{.*\})? 67108864$/m);
  } finally {
    await operator.stop();
    await close();
    folder.cleanUp();
    await redis.stop();
  }
});

test('the memory watch reports the Redis node that is closest to its memory limit', async () => {
  const node = (usedBytes: number, limitBytes: number) => ({ usedBytes, limitBytes, policy: 'noeviction' });
  const nodes = [node(50, 0), node(90, 100), node(20, 100)];
  const { logger } = createTestLogger();
  const memory = { read: () => Promise.resolve(nodes) };
  const watch = createRedisMemoryWatch({ memory, intervalMs: 1000, logger });
  expect(watch.fullest()).toBeUndefined();
  await watch.check();
  expect(watch.fullest()).toEqual(node(90, 100));
});

test('the memory watch accepts a Redis user without the right to run INFO, and logs this only once', async () => {
  const { logger, at } = createTestLogger();
  const memory = { read: () => Promise.reject(new Error("NOPERM this user has no permissions to run 'info'")) };
  const watch = createRedisMemoryWatch({ memory, intervalMs: 1000, logger });
  for (let times = 0; times < 2; times++) await watch.check();
  expect(watch.findEviction()).toBeUndefined();
  expect(at('warn')).toHaveLength(1);
});
