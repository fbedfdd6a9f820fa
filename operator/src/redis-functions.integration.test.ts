import { connectRedis, createLedger, withFunctions } from '@svc-asr/ledger';
import type { RedisConnection } from '@svc-asr/ledger';
import { connected } from '../../test/support/connected.ts';
import { startRedis } from '../../test/support/redis.ts';
import type { TestRedis } from '../../test/support/redis.ts';
import { eventually } from './testing/eventually.ts';
import { createTestFolder, startTestOperator } from './testing/harness.ts';
import { createTestLogger } from './testing/logs.ts';
import { createFunctionsTask } from './redis-functions.ts';

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

function runTask(changes: Partial<Parameters<typeof createFunctionsTask>[0]> = {}) {
  const logs = createTestLogger();
  const options = { link, isLeading: () => true, intervalMs: 20, logger: logs.logger, ...changes };
  const task = createFunctionsTask(options);
  task.start();
  return { ...logs, stop: task.stop };
}

test('an operator loads the functions of workers when it starts', async () => {
  const folder = createTestFolder();
  const operator = await startTestOperator([folder.path], redis.url);
  await eventually(async () => expect(await renew()).toBe('gone'));
  await operator.stop();
  folder.cleanUp();
});

test('the functions task loads the functions again after Redis has lost them', async () => {
  const { stop } = runTask();
  await eventually(async () => expect(await renew()).toBe('gone'));
  await link.send('', ['FUNCTION', 'FLUSH']);
  await eventually(async () => expect(await renew()).toBe('gone'));
  stop();
});

test('the functions task loads nothing while another operator leads', async () => {
  let isLeading = false;
  let checks = 0;
  const { stop } = runTask({ isLeading: () => (checks++, isLeading) });
  await eventually(() => expect(checks).toBeGreaterThan(2));
  expect(await link.send('', ['FUNCTION', 'LIST'])).toEqual([]);
  isLeading = true;
  await eventually(async () => expect(await renew()).toBe('gone'));
  stop();
});

test('the functions task logs a missing right once', async () => {
  let attempts = 0;
  const send = () => {
    attempts++;
    return Promise.reject(new Error("NOPERM this user has no permissions to run the 'function|list' command"));
  };
  const { stop, at } = runTask({ link: { ready: true, masters: () => [{ send }] } });
  await eventually(() => expect(attempts).toBeGreaterThan(2));
  stop();
  expect(at('error')).toHaveLength(1);
});
