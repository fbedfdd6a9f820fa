import { randomUUID } from 'node:crypto';
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

  beforeAll(async () => {
    redis = await start();
    ledger = await openLedger(redis.url);
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

  test('the catalogue and the registry return what was stored', async () => {
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
