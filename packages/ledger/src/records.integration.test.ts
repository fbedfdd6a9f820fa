import { randomUUID } from 'node:crypto';
import { createLedger } from './ledger.ts';
import type { Ledger } from './ledger.ts';
import { replay } from './journal.ts';
import { createTenant, openLedger, request, reserved } from '../../../test/support/ledger.ts';
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

  test('an ended session expires after recent_sessions no longer lists it', async () => {
    const prefix = `test-${randomUUID()}`;
    const own = createLedger(ledger.link, { prefix });
    const tenant = await createTenant(own, 6_000_000, { concurrentSessions: 100 });
    const owner = { id: 'g', epoch: 1 };
    const ids: string[] = [];
    const end = async (sessionId: string) => {
      await own.sessions.connect({ tenant, sessionId, credentialHash: 'hash', owner, connectionId: 'c' });
      return (await own.sessions.settle(tenant, sessionId, owner, 16_000, 'x')).outcome;
    };
    const keptMs = async (sessionId: string) => {
      const key = `${prefix}:{t:${tenant}}:s:${sessionId}`;
      return Number(await own.link.send(key, ['PTTL', key]));
    };
    const NEVER = -1;
    for (let i = 0; i < 70; i++) {
      ids.push((await reserved(own, tenant, { seconds: 1 })).sessionId);
      if (i % 2 === 0) expect(await end(ids[i]!)).toBe('ok');
    }
    const shown = (await own.accounts.usage(tenant))!.recent;
    expect(shown.map(({ id }) => id)).toEqual(ids.slice(-20).reverse());
    expect(new Set(shown.map(({ state }) => state))).toEqual(new Set(['completed', 'reserved']));
    for (const at of [0, 28]) expect(await keptMs(ids[at]!)).toBeGreaterThan(0);
    for (const at of [1, 29, 68, 69]) expect(await keptMs(ids[at]!)).toBe(NEVER);
    expect(await end(ids[1]!)).toBe('ok');
    expect(await keptMs(ids[1]!)).toBeGreaterThan(0);
    expect(await end(ids[69]!)).toBe('ok');
    expect(await keptMs(ids[69]!)).toBe(NEVER);
  });

  test('the journal adds up to the account after it was trimmed at a checkpoint', async () => {
    const often = createLedger(ledger.link, {
      prefix: `test-${randomUUID()}`,
      constants: { CHECKPOINT_EVERY: 100, CHECKPOINTS_RETAINED: 5 },
    });
    const tenant = await createTenant(often, 6_000_000, { concurrentSessions: 1000 });
    const rounds = Array.from({ length: 1500 });
    for (let i = 0; i < rounds.length; i += 100) {
      await Promise.all(
        rounds.slice(i, i + 100).map(async (_, n) => {
          const ask = request(tenant, { seconds: 1, idempotencyKey: `${i}-${n}` });
          await often.sessions.reserve(ask);
          await often.sessions.cancel({ ...ask, reason: 'test' });
        }),
      );
    }
    await reserved(often, tenant, { seconds: 9 });
    const entries = [];
    for (let after: string | undefined; ;) {
      const page = await often.journal.read(tenant, after === undefined ? {} : { after });
      if (page.length === 0) break;
      entries.push(...page);
      after = page.at(-1)!.id;
    }
    expect(entries[0]!.type).toBe('checkpoint');
    // Six times the entries between two checkpoints, and the entries that parallel clients may add to each.
    expect(entries.length).toBeLessThan(1500);
    const { balance: now } = (await often.accounts.usage(tenant))!;
    expect(replay(entries)).toEqual({ granted: now.grantedMs, reserved: 9000, consumed: now.consumedMs });
  });
});
