import { connected } from '../../../test/support/connected.ts';
import { startRedis } from '../../../test/support/redis.ts';
import { startRedisCluster } from '../../../test/support/redis-cluster.ts';
import { buildLibrary, loadFunctions, withFunctions } from './functions.ts';
import { createLedger } from './ledger.ts';
import { connectRedis } from './redis/connect.ts';
import type { RedisConnection, RedisLink } from './redis/link.ts';
import { deleteWorkerUser, setWorkerUser, workerUserOf } from './worker-users.ts';

const PREFIX = 'svc';
const WORKER = { id: 'w', address: 'wss://attacker', revision: 'r', slots: 2 };

describe.each([
  ['one Redis', () => startRedis()],
  ['a Redis Cluster of three nodes', startRedisCluster],
])('the Redis user of the workers of a model, on %s', (_, start) => {
  let url: string;
  let stop: () => Promise<void>;
  let admin: RedisConnection;
  let link: RedisLink;

  const open = async (address: string) => {
    const connection = connectRedis({ url: address, name: 'test', timeoutMs: 5000 });
    await connected(connection);
    return connection;
  };
  const urlOf = (model: string, password: string) =>
    url.replaceAll('redis://', `redis://${encodeURIComponent(workerUserOf(PREFIX, model))}:${password}@`);
  const workers = () => createLedger(withFunctions(link), { prefix: PREFIX }).workers;

  beforeAll(async () => {
    ({ url, stop } = await start());
    admin = await open(url);
    await loadFunctions(admin.masters());
    await setWorkerUser(admin.masters(), { prefix: PREFIX, model: 'a', password: 'secret-a' });
    link = await open(urlOf('a', 'secret-a'));
  });
  afterAll(async () => {
    await link.close();
    await admin.close();
    await stop();
  });

  test('registers, renews and removes workers of its model', async () => {
    await workers().register('a', WORKER);
    expect(await workers().renew('a', 'w')).toBe('ok');
    await workers().remove('a', 'w');
  });

  test.each(['b', 'a:b', 'aa', '*'])('cannot register a worker of the model "%s"', async (model) => {
    await expect(workers().register(model, WORKER)).rejects.toThrow(/NOPERM|No permissions/);
  });

  test('cannot write a key of another model by registering a worker whose id is that key', async () => {
    await expect(workers().register('a', { ...WORKER, id: 'x:{m:b}:p' })).resolves.toBeUndefined();
    expect(await createLedger(admin, { prefix: PREFIX }).workers.list('b')).toEqual([]);
  });

  test.each([
    ['read a pool of another model', 'svc:{m:b}:p', ['HGET', 'svc:{m:b}:p', 'slots']],
    ['read an account', 'svc:{t:acme}:a', ['HGET', 'svc:{t:acme}:a', 'granted']],
    ['send a script', 'svc:{m:a}:p', ['EVAL', 'while true do end', '1', 'svc:{m:a}:p']],
    ['send a script without keys', 'svc:{m:a}:p', ['EVAL', 'return 1', '0']],
    ['run a cached script', 'svc:{m:a}:p', ['EVALSHA', 'e'.repeat(40), '1', 'svc:{m:a}:p']],
    ['load a script', 'svc:{m:a}:p', ['SCRIPT', 'LOAD', 'return 1']],
    ['load functions', 'svc:{m:a}:p', ['FUNCTION', 'LOAD', 'REPLACE', buildLibrary()]],
    ['delete functions', 'svc:{m:a}:p', ['FUNCTION', 'FLUSH']],
    ['change users', 'svc:{m:a}:p', ['ACL', 'SETUSER', 'worker:svc:a', '+@all']],
    ['list keys', 'svc:{m:a}:p', ['KEYS', '*']],
  ])('cannot %s', async (_what, key, command) => {
    await expect(link.send(key, command)).rejects.toThrow(/NOPERM/);
  });

  test('keeps its connections when its password changes, and new connections can use the new password', async () => {
    await setWorkerUser(admin.masters(), { prefix: PREFIX, model: 'a', password: 'secret-2' });
    expect(await workers().renew('a', 'none')).toBe('gone');
    const second = await open(urlOf('a', 'secret-2'));
    expect(second.ready).toBe(true);
    await second.close();
  });

  test('is missing on every master after deleteWorkerUser() was called', async () => {
    await setWorkerUser(admin.masters(), { prefix: PREFIX, model: 'c', password: 'secret-c' });
    await deleteWorkerUser(admin.masters(), { prefix: PREFIX, model: 'c' });
    for (const master of admin.masters()) {
      expect(await master.send(['ACL', 'GETUSER', workerUserOf(PREFIX, 'c')])).toBeNull();
    }
  });
});

test('a worker user whose prefix contains pattern characters gets no rights to keys that match the pattern', async () => {
  const redis = await startRedis();
  const admin = connectRedis({ url: redis.url, name: 'test', timeoutMs: 5000 });
  await connected(admin);
  await setWorkerUser(admin.masters(), { prefix: 's[vx]c*', model: 'a', password: 'p' });
  const tryOn = (key: string) => admin.send('', ['ACL', 'DRYRUN', 'worker:s[vx]c*:a', 'GET', key]);
  expect(await tryOn('s[vx]c*:{m:a}:p')).toBe('OK');
  expect(String(await tryOn('svc:{m:a}:p'))).toContain('no permissions');
  await admin.close();
  await redis.stop();
});

test('a connection of a worker user succeeds after the user was created, and again after the user was recreated in a restarted Redis', async () => {
  const redis = await startRedis();
  const admin = connectRedis({ url: redis.url, name: 'test', timeoutMs: 5000 });
  await connected(admin);
  const url = redis.url.replace('redis://', 'redis://worker%3Asvc%3Aa:secret@');
  const link = connectRedis({ url, name: 'test', timeoutMs: 5000 });
  const user = { prefix: PREFIX, model: 'a', password: 'secret' };
  await new Promise((resolve) => setTimeout(resolve, 1000));
  expect(link.ready).toBe(false);
  await setWorkerUser(admin.masters(), user);
  await connected(link);
  await redis.kill();
  await redis.restart();
  await connected(admin);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  expect(link.ready).toBe(false);
  await setWorkerUser(admin.masters(), user);
  await connected(link);
  await link.close();
  await admin.close();
  await redis.stop();
});
