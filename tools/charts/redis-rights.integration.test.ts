import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../launch/terminal.mjs';
import { startGuardedRedis } from './testing/guarded-redis.ts';
import type { GuardedRedis, RedisUser } from './testing/guarded-redis.ts';

const SCRIPTS = join(root, 'packages/ledger/scripts');

/** Who runs which script of the ledger. */
const RUN_BY: Readonly<Record<'gateway' | 'worker' | 'operator', readonly string[]>> = {
  gateway: [
    ...['admit', 'cancel', 'claim', 'confirm', 'connect', 'count_revision', 'disconnect', 'expire', 'fail', 'leave'],
    ...[
      'gateway_join',
      'gateway_renew',
      'gateways_dead',
      'place',
      'reserve',
      'settle',
      'take_due',
      'touch_key',
      'usage',
    ],
  ],
  worker: ['worker_register', 'worker_renew', 'worker_remove'],
  operator: [
    ...['configure', 'grant', 'restore', 'close', 'revoke_key', 'load', 'weigh_revisions'],
    ...['worker_drain', 'worker_list', 'worker_remove'],
  ],
};

let redis: GuardedRedis;
beforeAll(async () => (redis = await startGuardedRedis()), 60_000);
afterAll(() => redis.stop());

/** Every command that a script calls, itself or through what it includes. */
function commandsOf(file: string): string[] {
  const text = readFileSync(join(SCRIPTS, file), 'utf8');
  const included = [...text.matchAll(/^-- @include (\w+)$/gm)].map(([, part = '']) => `include/${part}.lua`);
  const called = [...text.matchAll(/redis\.p?call\('(\w+)'/g)].map(([, command = '']) => command.toLowerCase());
  return [...new Set([...called, ...included.flatMap(commandsOf)])];
}

/** What Redis says to a command of a user, without running it; OK when it may. */
async function tryAs(user: string, command: string, key: string): Promise<string> {
  const [info] = (await redis.admin('COMMAND', 'INFO', command)) as [unknown, number][];
  const words = command.split('|');
  const left = Math.abs(info?.[1] ?? 1) - words.length;
  const args = Array.from({ length: left }, (_, at) => (at === 0 ? key : '1'));
  return String(await redis.admin('ACL', 'DRYRUN', user, ...words, ...args));
}

test('every script of the ledger is run by somebody', () => {
  const files = readdirSync(SCRIPTS).flatMap((name) => (name.endsWith('.lua') ? [name.slice(0, -4)] : []));
  expect([...new Set(Object.values(RUN_BY).flat())].sort()).toEqual(files.sort());
});

test.each(Object.entries(RUN_BY))('the user of a %s may call all that its scripts call', async (user, scripts) => {
  const commands = new Set(['eval', 'evalsha', ...scripts.flatMap((name) => commandsOf(`${name}.lua`))]);
  const refused: string[] = [];
  for (const command of commands) {
    // EVAL has its keys elsewhere: its right is what counts here.
    const said = await tryAs(user, command, command.startsWith('eval') ? '1' : 'svc:{m:x}:p');
    if (said !== 'OK') refused.push(`${command}: ${said}: add it to files/redis-users/${user}.acl`);
  }
  expect(refused).toEqual([]);
});

test.each([
  ['worker', 'hset', 'svc:{t:acme}:a'],
  ['worker', 'hset', 'svc:{o}:registry:Tenant'],
  ['worker', 'hset', 'other:{m:x}:p'],
  ['gateway', 'set', 'svc:{o}:catalogue'],
  ['gateway', 'set', 'svc:{o}:ledger'],
  ['gateway', 'hset', 'svc:{o}:registry:Tenant'],
  ['operator', 'zadd', 'svc:{o}:gateways'],
  ['console', 'hset', 'svc:{t:acme}:a'],
  ['console', 'set', 'svc:{o}:ledger'],
  ['console', 'eval', 'svc:{t:acme}:a'],
  ['health', 'get', 'svc:{o}:ledger'],
] as const)('%s may not %s %s', async (user, command, key) => {
  expect(await tryAs(user, command, key)).toContain('no permissions');
});

const DANGEROUS = [
  ...['flushall', 'keys', 'scan', 'config|get', 'config|set', 'acl|setuser', 'acl|list', 'monitor', 'script|flush'],
  ...['debug', 'shutdown', 'subscribe', 'function|load', 'replicaof', 'bgrewriteaof', 'client|kill', 'info'],
];

test.each(['gateway', 'operator', 'worker', 'console', 'health'])('%s may do nothing dangerous', async (user) => {
  for (const command of DANGEROUS) {
    expect([command, await tryAs(user, command, '*')]).toEqual([command, expect.stringContaining('no permissions')]);
  }
});

test('whoever has no name has no rights', async () => {
  await expect(redis.unnamed()).rejects.toThrow(/NOAUTH/);
});

test('each user has a password of its own', async () => {
  const users: RedisUser[] = ['gateway', 'operator', 'worker', 'console'];
  const whoami = async (user: RedisUser) => (await redis.connect(user)).ready;
  expect(await Promise.all(users.map(whoami))).toEqual(users.map(() => true));
  expect(new Set(users.map((user) => new URL(redis.url(user)).password)).size).toBe(users.length);
});

test('nobody is the default user, and yet Redis reads back what scripts wrote', async () => {
  const several = "redis.call('SET', KEYS[1], 1) redis.call('HSET', KEYS[2], 'a', 1)";
  await redis.admin('EVAL', several, '2', 'svc:{x}1', 'svc:{x}2');
  // What a restart does with the file.
  await redis.admin('DEBUG', 'LOADAOF');
  expect(await redis.admin('EXISTS', 'svc:{x}1', 'svc:{x}2')).toBe(2);
  await expect(redis.admin('AUTH', 'default', '')).rejects.toThrow(/WRONGPASS/);
});
