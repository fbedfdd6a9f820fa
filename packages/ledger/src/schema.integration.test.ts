import { randomUUID } from 'node:crypto';
import { connected } from '../../../test/support/connected.ts';
import { createTenant } from '../../../test/support/ledger.ts';
import { startRedis } from '../../../test/support/redis.ts';
import type { TestRedis } from '../../../test/support/redis.ts';
import { createRedisKeys } from './keys.ts';
import { createLedger } from './ledger.ts';
import type { Ledger } from './ledger.ts';
import { connectRedis } from './redis/connect.ts';
import { LedgerUnavailable } from './redis/link.ts';
import type { RedisLink } from './redis/link.ts';
import { requireSchema, SCHEMA_VERSION, SchemaMismatch } from './schema.ts';

let redis: TestRedis;
let link: RedisLink;
beforeAll(async () => {
  redis = await startRedis();
  link = await connected(connectRedis({ url: redis.url, name: 'test', timeoutMs: 5000 }));
});
afterAll(async () => {
  await link.close();
  await redis.stop();
});

/** Opens the ledger of a program with the given schema version, and counts the commands that it sends. */
function openProgram(prefix: string, version = SCHEMA_VERSION) {
  const errors: string[] = [];
  let sent = 0;
  const counted: RedisLink = {
    ready: true,
    run: (...args) => (sent++, link.run(...args)),
    send: (...args) => (sent++, link.send(...args)),
    nodes: link.nodes,
    close: link.close,
  };
  const logger = { error: (message: string) => void errors.push(message) };
  const ledger: Ledger = createLedger(requireSchema(counted, { prefix, logger, version }), { prefix });
  return { ledger, errors, sent: () => sent };
}

async function store(prefix: string, version: number, oldest: number): Promise<void> {
  const key = createRedisKeys(prefix).schema();
  await link.send(key, ['HSET', key, 'version', String(version), 'oldest', String(oldest)]);
}

test('a program of any version accepts an empty Redis, in which the operator then stores the schema version', async () => {
  const { ledger } = openProgram(`test-${randomUUID()}`, SCHEMA_VERSION + 5);
  expect(await ledger.schema.read()).toBeUndefined();
  await ledger.schema.stamp();
  expect(await ledger.schema.read()).toMatchObject({ version: SCHEMA_VERSION });
  expect(await ledger.accounts.read(await createTenant(ledger, 60_000))).toMatchObject({ grantedMs: 60_000 });
});

test.each([
  ['its own version', SCHEMA_VERSION, SCHEMA_VERSION],
  ['the previous version', SCHEMA_VERSION - 1, SCHEMA_VERSION - 1],
  ['the next version, which it can use', SCHEMA_VERSION + 1, SCHEMA_VERSION],
])('a program uses records of %s', async (_name, version, oldest) => {
  const prefix = `test-${randomUUID()}`;
  await store(prefix, version, oldest);
  const { ledger, errors } = openProgram(prefix);
  await createTenant(ledger, 60_000);
  expect(errors).toEqual([]);
});

test.each([
  ['a later version that it cannot use', SCHEMA_VERSION + 2, SCHEMA_VERSION + 1, SCHEMA_VERSION],
  ['a version that is two versions older', SCHEMA_VERSION, SCHEMA_VERSION, SCHEMA_VERSION + 2],
  ['a time before versions were stored', undefined, undefined, 3],
])(
  'a program refuses to use records of %s: it reads only their version, and logs the reason of the refusal only once',
  async (_name, version, oldest, own) => {
    const prefix = `test-${randomUUID()}`;
    const id = createRedisKeys(prefix).ledgerId();
    await link.send(id, ['SET', id, 'ledger']);
    if (version !== undefined) await store(prefix, version, oldest);
    const { ledger, errors, sent } = openProgram(prefix, own);
    for (let at = 0; at < 3; at++) {
      await expect(ledger.gateways.join('g')).rejects.toThrow(SchemaMismatch);
      // Services respond with 503 to a request if a command throws this error.
      await expect(ledger.admit('acme')).rejects.toThrow(LedgerUnavailable);
    }
    expect(errors).toEqual([expect.stringContaining('The records in Redis have the schema version')]);
    // The program has only read the schema version, and the ledger id if there is no schema version.
    expect(sent()).toBe(version === undefined ? 2 : 1);
  },
);

test('a program that refused the records continues as soon as the schema version in Redis matches', async () => {
  const prefix = `test-${randomUUID()}`;
  await store(prefix, 9, 9);
  const { ledger } = openProgram(prefix);
  await expect(ledger.identity.read()).rejects.toThrow(SchemaMismatch);
  await store(prefix, SCHEMA_VERSION, SCHEMA_VERSION);
  await new Promise((resolve) => setTimeout(resolve, 1100));
  expect(await ledger.identity.read()).toBeUndefined();
});

test('a program whose Redis user may not read the schema version still uses the records, and logs that this right is missing', async () => {
  const prefix = `test-${randomUUID()}`;
  await store(prefix, 9, 9);
  const send: RedisLink['send'] = (key, command) =>
    command[0] === 'HGETALL' ? Promise.reject(new Error('NOPERM No permissions')) : link.send(key, command);
  const errors: string[] = [];
  const logger = { error: (message: string) => void errors.push(message) };
  const limited: RedisLink = { ready: true, run: link.run, send, nodes: link.nodes, close: link.close };
  const ledger = createLedger(requireSchema(limited, { prefix, logger }), { prefix });
  expect([await ledger.identity.read(), await ledger.identity.read()]).toEqual([undefined, undefined]);
  expect(errors).toEqual([expect.stringContaining(`allow the Redis user to read ${prefix}:{o}:ledger:schema`)]);
});

test('an operator of an earlier version does not lower the stored schema version', async () => {
  const prefix = `test-${randomUUID()}`;
  await store(prefix, SCHEMA_VERSION + 1, SCHEMA_VERSION);
  const { ledger } = openProgram(prefix);
  await ledger.schema.stamp();
  expect(await ledger.schema.read()).toEqual({ version: SCHEMA_VERSION + 1, oldest: SCHEMA_VERSION });
});
