import { randomUUID } from 'node:crypto';
import { createRedisKeys } from './keys.ts';
import type { Ledger } from './ledger.ts';
import { openLedger } from '../../../test/support/ledger.ts';
import { startRedis } from '../../../test/support/redis.ts';
import { startRedisCluster } from '../../../test/support/redis-cluster.ts';

describe.each([
  ['one Redis', startRedis],
  ['a Redis Cluster of three nodes', startRedisCluster],
])('records on %s', (_name, start) => {
  let redis: { url: string; stop: () => Promise<void> };
  let ledger: Ledger;
  const prefix = `test-${randomUUID()}`;
  const keys = createRedisKeys(prefix);

  beforeAll(async () => {
    redis = await start();
    ledger = await openLedger(redis.url, { prefix });
  });
  afterAll(async () => {
    await ledger.link.close();
    await redis.stop();
  });

  test('revoking an unknown API key stores nothing', async () => {
    await ledger.apiKeys.revoke('0000000000');
    expect(await ledger.apiKeys.find('0000000000')).toBeUndefined();
  });

  test('a revoked API key stays revoked and can still be found', async () => {
    const record = { tenant: 'acme', hash: 'a'.repeat(64), pepperId: 'p1', expiresAtMs: null };
    const keyId = randomUUID().slice(0, 10);
    expect(await ledger.apiKeys.find(keyId)).toBeUndefined();
    await ledger.apiKeys.touch(keyId);
    expect(await ledger.apiKeys.find(keyId)).toBeUndefined();
    await ledger.apiKeys.put(keyId, record);
    expect(await ledger.apiKeys.find(keyId)).toEqual({ ...record, revoked: false });
    expect(await ledger.apiKeys.lastUsed(keyId)).toBeUndefined();
    await ledger.apiKeys.touch(keyId);
    expect(Math.abs((await ledger.apiKeys.lastUsed(keyId))! - Date.now())).toBeLessThan(5000);
    await ledger.apiKeys.revoke(keyId);
    expect(await ledger.apiKeys.find(keyId)).toEqual({ ...record, revoked: true });
    await ledger.apiKeys.put(keyId, record);
    expect(await ledger.apiKeys.find(keyId)).toEqual({ ...record, revoked: true });
  });

  test.each([
    [{ scopes: ['usage:read'] }],
    [{ models: ['m1', 'm2'] }],
    [{ scopes: ['sessions:create', 'usage:read'], models: ['m1'] }],
    [{ scopes: [], models: [] }],
  ])(
    'an API key with the limits %j is stored with a changed hash, so that gateways of earlier versions, which ignore limits, refuse the key',
    async (limits) => {
      const record = { tenant: 'acme', hash: 'a'.repeat(64), pepperId: 'p1', expiresAtMs: null };
      const keyId = randomUUID().slice(0, 10);
      const storedHash = () => ledger.link.send(keys.apiKey(keyId), ['HGET', keys.apiKey(keyId), 'hash']);
      await ledger.apiKeys.put(keyId, { ...record, ...limits });
      expect(await ledger.apiKeys.find(keyId)).toStrictEqual({ ...record, ...limits, revoked: false });
      expect(await storedHash()).not.toBe(record.hash);
      await ledger.apiKeys.put(keyId, record);
      expect(await ledger.apiKeys.find(keyId)).toStrictEqual({ ...record, revoked: false });
      expect(await storedHash()).toBe(record.hash);
    },
  );

  test('find() returns an API key that an earlier version of the service stored, without limits on scopes or models', async () => {
    const keyId = randomUUID().slice(0, 10);
    const key = keys.apiKey(keyId);
    await ledger.link.send(key, ['HSET', key, 'tenant', 'acme', 'hash', 'h', 'pepper', 'p1', 'expires', '']);
    const record = { tenant: 'acme', hash: 'h', pepperId: 'p1', expiresAtMs: null, revoked: false };
    expect(await ledger.apiKeys.find(keyId)).toStrictEqual(record);
  });

  test('the catalogue and the registry of resources return what was stored', async () => {
    const fresh = await openLedger(redis.url);
    expect(await fresh.catalogue.read()).toBeUndefined();
    const entry = { id: 'm', language: 'Kikuyu', languageCode: 'ki', maxAudioSeconds: 300, maxWaitSeconds: 120 };
    await fresh.catalogue.replace([entry]);
    expect(await fresh.catalogue.read()).toEqual([entry]);
    await fresh.registry.put('Tenant', 'a', '1');
    await fresh.registry.put('Tenant', 'b', '2');
    await fresh.registry.remove('Tenant', 'a');
    expect([...(await fresh.registry.list('Tenant'))]).toEqual([['b', '2']]);
    await fresh.link.close();
  });
});
