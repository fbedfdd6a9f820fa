import { randomUUID } from 'node:crypto';
import type { Ledger } from './ledger.ts';
import { replay } from './journal.ts';
import { makeTenant, openLedger, request, reserved } from '../../../test/support/ledger.ts';
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

  test('a revocation of a key that was never put leaves nothing behind', async () => {
    await ledger.keys.revoke('0000000000');
    expect(await ledger.keys.find('0000000000')).toBeUndefined();
  });

  test('keys are found until they are revoked, and known afterwards', async () => {
    const record = { tenant: 'acme', hash: 'a'.repeat(64), pepperId: 'p1', expiresAtMs: null };
    const keyId = randomUUID().slice(0, 10);
    expect(await ledger.keys.find(keyId)).toBeUndefined();
    await ledger.keys.touch(keyId);
    expect(await ledger.keys.find(keyId)).toBeUndefined();
    await ledger.keys.put(keyId, record);
    expect(await ledger.keys.find(keyId)).toEqual({ ...record, revoked: false });
    expect(await ledger.keys.lastUsed(keyId)).toBeUndefined();
    await ledger.keys.touch(keyId);
    expect(Math.abs((await ledger.keys.lastUsed(keyId))! - Date.now())).toBeLessThan(5000);
    await ledger.keys.revoke(keyId);
    expect(await ledger.keys.find(keyId)).toEqual({ ...record, revoked: true });
    await ledger.keys.put(keyId, record);
    expect(await ledger.keys.find(keyId)).toEqual({ ...record, revoked: true });
  });

  test('the catalogue and the registry are read back as written', async () => {
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

  test('the journal adds up to the account, also after it was cut at a checkpoint', async () => {
    const tenant = await makeTenant(ledger, 6_000_000, { concurrentSessions: 1000 });
    const rounds = Array.from({ length: 5600 });
    for (let i = 0; i < rounds.length; i += 100) {
      await Promise.all(
        rounds.slice(i, i + 100).map(async (_, n) => {
          const ask = request(tenant, { seconds: 1, idempotencyKey: `${i}-${n}` });
          await ledger.sessions.reserve(ask);
          await ledger.sessions.cancel({ ...ask, reason: 'test' });
        }),
      );
    }
    await reserved(ledger, tenant, { seconds: 9 });
    const entries = [];
    for (let after: string | undefined; ;) {
      const page = await ledger.journal.read(tenant, after === undefined ? {} : { after });
      if (page.length === 0) break;
      entries.push(...page);
      after = page.at(-1)!.id;
    }
    expect(entries[0]!.type).toBe('checkpoint');
    expect(entries.length).toBeLessThan(11_000);
    const { balance: now } = (await ledger.accounts.usage(tenant))!;
    expect(replay(entries)).toEqual({ granted: now.grantedMs, reserved: 9000, consumed: now.consumedMs });
  });
});
