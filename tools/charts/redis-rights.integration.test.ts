import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildWorkerRights, loadFunctions, setWorkerUser } from '@svc-asr/ledger';
import { root } from '../launch/terminal.mjs';
import { startGuardedRedis } from './testing/guarded-redis.ts';
import type { GuardedRedis, RedisUser } from './testing/guarded-redis.ts';

const SCRIPTS = join(root, 'packages/ledger/scripts');

/** Scripts of the ledger that each service runs. */
const RUN_BY: Readonly<Record<'gateway' | 'worker' | 'operator', readonly string[]>> = {
  gateway: [
    ...[
      'add_refusals',
      'admit',
      'cancel',
      'chain',
      'claim',
      'confirm',
      'connect',
      'count_revision',
      'disconnect',
      'expire',
      'fail',
      'leave',
    ],
    ...['delete_session', 'get_session'],
    ...[
      'gateway_join',
      'gateway_renew',
      'gateways_dead',
      'own',
      'place',
      'reserve',
      'settle',
      'take_due',
      'touch_key',
      'usage',
      'wait',
    ],
  ],
  worker: ['worker_register', 'worker_renew', 'worker_drain', 'worker_remove'],
  operator: [
    ...['configure', 'grant', 'restore', 'close', 'trim_journal', 'revoke_key', 'load', 'weigh_revisions'],
    ...['worker_drain', 'worker_list', 'worker_remove'],
  ],
};

let redis: GuardedRedis;
beforeAll(async () => (redis = await startGuardedRedis({ redis: { workerUsers: 'shared' } })), 60_000);
afterAll(() => redis.stop());

/** Returns every command that a script calls, directly or through its includes. */
function commandsOf(file: string): string[] {
  const text = readFileSync(join(SCRIPTS, file), 'utf8');
  const included = [...text.matchAll(/^-- @include (\w+)$/gm)].map(([, part = '']) => `include/${part}.lua`);
  const called = [...text.matchAll(/redis\.p?call\('(\w+)'/g)].map(([, command = '']) => command.toLowerCase());
  return [...new Set([...called, ...included.flatMap(commandsOf)])];
}

/**
 * Asks Redis whether a user may run a command, without running it. Returns the answer, which is `OK` if the user may.
 */
async function tryAs(user: string, command: string, key: string): Promise<string> {
  const [info] = (await redis.admin('COMMAND', 'INFO', command)) as [unknown, number][];
  const words = command.split('|');
  const left = Math.abs(info?.[1] ?? 1) - words.length;
  const args = Array.from({ length: left }, (_, at) => (at === 0 ? key : '1'));
  return String(await redis.admin('ACL', 'DRYRUN', user, ...words, ...args));
}

test('RUN_BY lists every script of the ledger', () => {
  const files = readdirSync(SCRIPTS).flatMap((name) => (name.endsWith('.lua') ? [name.slice(0, -4)] : []));
  expect([...new Set(Object.values(RUN_BY).flat())].sort()).toEqual(files.sort());
});

test.each(Object.entries(RUN_BY))(
  'the Redis user of the %s may call every command of its scripts',
  async (user, scripts) => {
    const callers = user === 'worker' ? ['fcall'] : ['eval', 'evalsha'];
    const refused: string[] = [];
    for (const command of new Set([...callers, ...scripts.flatMap((name) => commandsOf(`${name}.lua`))])) {
      // EVAL and FCALL have their keys in another position. For them, the test checks only the right to run the
      // command.
      const key = command === 'spublish' ? 'svc:{m:x}:n:gateway' : 'svc:{m:x}:p';
      const answer = await tryAs(user, command, callers.includes(command) ? '1' : key);
      if (answer !== 'OK') refused.push(`${command}: ${answer}: add it to files/redis-users/${user}.acl`);
    }
    expect(refused).toEqual([]);
  },
);

test.each([
  ['worker', 'hset', 'svc:{t:acme}:a'],
  ['worker', 'hset', 'svc:{o}:registry:Tenant'],
  ['worker', 'hset', 'other:{m:x}:p'],
  ['worker', 'eval', 'svc:{m:x}:p'],
  ['worker', 'evalsha', 'svc:{m:x}:p'],
  ['gateway', 'set', 'svc:{o}:catalogue'],
  ['gateway', 'set', 'svc:{o}:ledger'],
  ['gateway', 'hset', 'svc:{o}:registry:Tenant'],
  ['operator', 'zadd', 'svc:{o}:gateways'],
  ['operator', 'srem', 'svc:{g:x}:s'],
  ['gateway', 'hset', 'svc:{o}:purge'],
  ['console', 'hset', 'svc:{t:acme}:a'],
  ['console', 'set', 'svc:{o}:ledger'],
  ['console', 'eval', 'svc:{t:acme}:a'],
  ['console', 'hset', 'svc:{m:x}:p'],
  ['console', 'zadd', 'svc:{o}:gateways'],
  ['health', 'get', 'svc:{o}:ledger'],
  ['gateway', 'ssubscribe', 'other:{m:x}:n:gateway'],
  ['worker', 'ssubscribe', 'svc:{m:x}:n:gateway'],
  ['console', 'ssubscribe', 'svc:{m:x}:n:gateway'],
] as const)('the Redis user %s is not allowed to run %s with the argument %s', async (user, command, key) => {
  expect(await tryAs(user, command, key)).toContain('no permissions');
});

const DANGEROUS = [
  ...['flushall', 'keys', 'config|get', 'config|set', 'acl|setuser', 'acl|list', 'monitor', 'script|flush'],
  ...['debug', 'shutdown', 'subscribe', 'script|load', 'script|kill', 'replicaof', 'bgrewriteaof', 'client|kill'],
  ...['function|load', 'function|delete', 'function|flush', 'function|restore', 'function|kill'],
];

/** Dangerous commands that a user needs. */
const NEEDED: Readonly<Record<string, readonly string[]>> = { operator: ['function|load', 'acl|setuser'] };

test.each(['gateway', 'operator', 'worker', 'console', 'health'])(
  'the Redis user %s is not allowed to run dangerous commands that it does not need',
  async (user) => {
    for (const command of DANGEROUS.filter((name) => NEEDED[user]?.includes(name) !== true)) {
      expect([command, await tryAs(user, command, '*')]).toEqual([command, expect.stringContaining('no permissions')]);
    }
  },
);

test.each(['gateway', 'worker', 'health'])('the Redis user %s is not allowed to run INFO', async (user) => {
  expect(await tryAs(user, 'info', '')).toContain('no permissions');
});

test.each(['gateway', 'worker', 'console', 'health'])('the Redis user %s is not allowed to run SCAN', async (user) => {
  expect(await tryAs(user, 'scan', '0')).toContain('no permissions');
});

test('the Redis user of a model may run the same commands as the user that all workers can share', async () => {
  const { masters } = await redis.connect('operator');
  await setWorkerUser(masters(), { prefix: 'svc', model: 'a', password: 'secret' });
  const commandsOfUser = async (user: string) => {
    const reply = (await redis.admin('ACL', 'GETUSER', user)) as string[];
    return (reply[reply.indexOf('commands') + 1] ?? '').split(' ').sort();
  };
  expect(await commandsOfUser('worker:svc:a')).toEqual(await commandsOfUser('worker'));
  expect(buildWorkerRights('svc', 'a').slice(0, 2)).toEqual(['~svc:{m:a}:*', '&svc:{m:a}:n:*']);
});

test.each([
  ['hset', 'svc:{m:b}:p'],
  ['zadd', 'svc:{m:b}:wl'],
  ['hget', 'svc:{m:b}:w:id'],
  ['hset', 'svc:{m:aa}:p'],
  ['hset', 'svc:{t:acme}:a'],
  ['eval', 'svc:{m:a}:p'],
  ['spublish', 'svc:{m:b}:n:gateway'],
  ['ssubscribe', 'svc:{m:a}:n:gateway'],
  ['script|load', 'x'],
  ['function|load', 'x'],
  ['function|list', 'x'],
  ['acl|setuser', 'x'],
])('the Redis user of the model "a" is not allowed to run %s with the argument %s', async (command, key) => {
  const { masters } = await redis.connect('operator');
  await setWorkerUser(masters(), { prefix: 'svc', model: 'a', password: 'secret' });
  expect(await tryAs('worker:svc:a', command, key)).toContain('no permissions');
});

test('Redis has no user that all workers share if each model has its own user', async () => {
  const other = await startGuardedRedis();
  expect(await other.admin('ACL', 'USERS')).toEqual(['admin', 'console', 'default', 'gateway', 'health', 'operator']);
  expect(await loadFunctions((await other.connect('operator')).masters())).toBe(1);
  await other.stop();
});

test('Redis rejects commands of a connection that has not authenticated', async () => {
  await expect(redis.unnamed()).rejects.toThrow(/NOAUTH/);
});

test('the Redis user of each service has its own password', async () => {
  const users: RedisUser[] = ['gateway', 'operator', 'worker', 'console'];
  const whoami = async (user: RedisUser) => (await redis.connect(user)).ready;
  expect(await Promise.all(users.map(whoami))).toEqual(users.map(() => true));
  expect(new Set(users.map((user) => new URL(redis.url(user)).password)).size).toBe(users.length);
});

test('Redis reloads its append-only file although the default user is disabled', async () => {
  const several = "redis.call('SET', KEYS[1], 1) redis.call('HSET', KEYS[2], 'a', 1)";
  await redis.admin('EVAL', several, '2', 'svc:{x}1', 'svc:{x}2');
  // Reads the append-only file as a restart does.
  await redis.admin('DEBUG', 'LOADAOF');
  expect(await redis.admin('EXISTS', 'svc:{x}1', 'svc:{x}2')).toBe(2);
  await expect(redis.admin('AUTH', 'default', '')).rejects.toThrow(/WRONGPASS/);
});
