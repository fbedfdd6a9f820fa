import { randomUUID } from 'node:crypto';
import { createRedisKeys } from './keys.ts';
import type { RedisKeys } from './keys.ts';
import type { Ledger } from './ledger.ts';
import { openLedger } from '../../../test/support/ledger.ts';
import { startRedis } from '../../../test/support/redis.ts';
import { startRedisCluster } from '../../../test/support/redis-cluster.ts';

const RETENTION_MS = 600_000;
const NEVER = -1;
/** A duration that is longer than a test takes. */
const SLACK_MS = 60_000;

describe.each([
  ['one Redis', startRedis],
  ['a Redis Cluster of three nodes', startRedisCluster],
])('retention of API keys on %s', (_name, start) => {
  let redis: { url: string; stop: () => Promise<void> };
  let ledger: Ledger;
  let keys: RedisKeys;

  beforeAll(async () => (redis = await start()));
  afterAll(() => redis.stop());
  beforeEach(async () => {
    const prefix = `test-${randomUUID()}`;
    keys = createRedisKeys(prefix);
    ledger = await openLedger(redis.url, { prefix, keyRetentionMs: RETENTION_MS });
  });
  afterEach(() => ledger.link.close());

  const put = (keyId: string, expiresAtMs: number | null = null) =>
    ledger.apiKeys.put(keyId, { tenant: 'acme', hash: 'h', pepperId: 'p', expiresAtMs });
  const keptMs = async (keyId: string) => {
    const key = keys.apiKey(keyId);
    return Number(await ledger.link.send(key, ['PTTL', key]));
  };

  test('the record of a revoked key is kept for the retention time, and a repeated revocation does not extend it', async () => {
    await put('AAAAAAAAAA');
    expect(await keptMs('AAAAAAAAAA')).toBe(NEVER);
    await ledger.apiKeys.revoke('AAAAAAAAAA');
    const first = await keptMs('AAAAAAAAAA');
    expect(first).toBeGreaterThan(RETENTION_MS - SLACK_MS);
    expect(first).toBeLessThanOrEqual(RETENTION_MS);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await ledger.apiKeys.revoke('AAAAAAAAAA');
    expect(await keptMs('AAAAAAAAAA')).toBeLessThan(first);
    expect(await ledger.apiKeys.find('AAAAAAAAAA')).toMatchObject({ revoked: true });
  });

  test('revoking a key deletes its record if the key expired more than the retention time ago', async () => {
    await put('AAAAAAAAAA', Date.now() - RETENTION_MS - SLACK_MS);
    await put('BBBBBBBBBB', Date.now() - RETENTION_MS + SLACK_MS);
    await ledger.apiKeys.revoke('AAAAAAAAAA');
    await ledger.apiKeys.revoke('BBBBBBBBBB');
    expect(await ledger.apiKeys.find('AAAAAAAAAA')).toBeUndefined();
    expect(await ledger.apiKeys.find('BBBBBBBBBB')).toMatchObject({ revoked: true });
    expect(await keptMs('BBBBBBBBBB')).toBeLessThanOrEqual(SLACK_MS);
  });

  test('a revoked key that is stored again stays revoked, and its record does not expire', async () => {
    await put('AAAAAAAAAA');
    await ledger.apiKeys.revoke('AAAAAAAAAA');
    await put('AAAAAAAAAA');
    expect(await keptMs('AAAAAAAAAA')).toBe(NEVER);
    expect(await ledger.apiKeys.find('AAAAAAAAAA')).toMatchObject({ revoked: true });
  });

  test('expireRevoked sets the expiry of revoked keys without a resource, and of no other keys', async () => {
    for (const keyId of ['OLDREVOKED', 'RESTOREDKE', 'WORKINGKEY']) await put(keyId);
    for (const keyId of ['OLDREVOKED', 'RESTOREDKE']) {
      // Earlier versions revoked a key with only this command.
      await ledger.link.send(keys.apiKey(keyId), ['HSET', keys.apiKey(keyId), 'revoked', '1']);
    }
    await ledger.apiKeys.expireRevoked((keyId) => keyId === 'RESTOREDKE');
    expect(await keptMs('OLDREVOKED')).toBeGreaterThan(RETENTION_MS - SLACK_MS);
    expect([await keptMs('RESTOREDKE'), await keptMs('WORKINGKEY')]).toEqual([NEVER, NEVER]);
  });
});
