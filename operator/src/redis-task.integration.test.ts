import { connectRedis, createLedger, LedgerUnavailable, loadFunctions, withFunctions } from '@svc-asr/ledger';
import type { RedisConnection } from '@svc-asr/ledger';
import { connected } from '../../test/support/connected.ts';
import { startRedis } from '../../test/support/redis.ts';
import type { TestRedis } from '../../test/support/redis.ts';
import { eventually } from './testing/eventually.ts';
import { createTestFolder, startTestOperator } from './testing/harness.ts';
import { createTestLogger } from './testing/logs.ts';
import { createRedisTask } from './redis-task.ts';

let redis: TestRedis;
let link: RedisConnection;
beforeAll(async () => {
  redis = await startRedis();
  link = connectRedis({ url: redis.url, name: 'test', timeoutMs: 5000 });
  await connected(link);
});
beforeEach(() => link.send('', ['FUNCTION', 'FLUSH']));
afterAll(() => redis.stop());

const renew = () => createLedger(withFunctions(link), { prefix: 'svc' }).workers.renew('m', 'w');

function runTask(changes: Partial<Parameters<typeof createRedisTask>[0]> = {}) {
  const logs = createTestLogger();
  const task = createRedisTask({
    link,
    isLeading: () => true,
    intervalMs: 20,
    work: async () => {
      await loadFunctions(link.masters());
    },
    failureMessage: 'failed',
    logger: logs.logger,
    ...changes,
  });
  task.start();
  return { ...logs, ...task };
}

test('an operator loads the Redis functions of workers when it starts', async () => {
  const folder = createTestFolder();
  const operator = await startTestOperator([folder.path], redis.url);
  await eventually(async () => expect(await renew()).toBe('gone'));
  await operator.stop();
  folder.cleanUp();
});

test('a Redis task loads the Redis functions of workers again after Redis has lost them', async () => {
  const { stop } = runTask();
  await eventually(async () => expect(await renew()).toBe('gone'));
  await link.send('', ['FUNCTION', 'FLUSH']);
  await eventually(async () => expect(await renew()).toBe('gone'));
  stop();
});

test('a Redis task does nothing while its operator is not the leader', async () => {
  let isLeading = false;
  let checks = 0;
  const { stop } = runTask({ isLeading: () => (checks++, isLeading) });
  await eventually(() => expect(checks).toBeGreaterThan(2));
  expect(await link.send('', ['FUNCTION', 'LIST'])).toEqual([]);
  isLeading = true;
  await eventually(async () => expect(await renew()).toBe('gone'));
  stop();
});

test('a Redis task logs a failure that lasts over several runs only once', async () => {
  let attempts = 0;
  const work = () => {
    attempts++;
    return Promise.reject(new Error("NOPERM this user has no permissions to run the 'function|list' command"));
  };
  const { stop, at } = runTask({ work });
  await eventually(() => expect(attempts).toBeGreaterThan(2));
  stop();
  expect(at('error')).toHaveLength(1);
});

test('a Redis task logs an outage of Redis only once, as a warning and not as an error', async () => {
  let attempts = 0;
  const work = () => {
    attempts++;
    return Promise.reject(new LedgerUnavailable('LOADING Redis is loading the dataset in memory'));
  };
  const { stop, at } = runTask({ work });
  await eventually(() => expect(attempts).toBeGreaterThan(2));
  stop();
  expect([at('error').length, at('warn').length]).toEqual([0, 1]);
});

test('a Redis task runs again immediately after a call of hurry(), even if hurry() is called during a run', async () => {
  let runs = 0;
  const work = async () => {
    await Promise.resolve();
    if (++runs === 1) task.hurry();
  };
  const task = runTask({ intervalMs: 60_000, work });
  await eventually(() => expect(runs).toBe(2));
  task.hurry();
  await eventually(() => expect(runs).toBe(3));
  task.stop();
});
