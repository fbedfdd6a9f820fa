import { randomUUID } from 'node:crypto';
import { buildAuditId } from '../audit.ts';
import { createRedisKeys } from '../keys.ts';
import type { Ledger } from '../ledger.ts';
import { createTenant, latestSessions, openLedger, request, reserved } from '../../../../test/support/ledger.ts';
import { startRedis } from '../../../../test/support/redis.ts';
import { startRedisCluster } from '../../../../test/support/redis-cluster.ts';
import { dumpRedis } from '../testing/dump.ts';
import type { RedisLink } from '../redis/link.ts';
import { createPurgeRequests } from './requests.ts';
import { findFamily } from './traces.ts';

const OWNER = { id: 'gateway-1', epoch: 1 };
const KEY = { hash: 'hash', pepperId: 'p1', expiresAtMs: null };
const AUDIT_LIMITS = { maxEntries: 1000, oldestMs: 0 };
const ANSWER = { liveSessions: 0, removed: {}, remaining: {} };
const NOTHING = {
  account_keys: 0,
  key_records: 0,
  gateway_records: 0,
  reaper_marks: 0,
  queue_entries: 0,
  registry_entries: 0,
  list_entries: 0,
  rebuild_plans: 0,
  audit_entries: 0,
};

const auditEntry = (tenant: string, actor: string) => ({
  id: buildAuditId(1_800_000_000_000, randomUUID()),
  actor,
  actorName: null,
  action: 'tenant.update',
  target: `tenant/${tenant}`,
  tenant,
  requestId: 'r-1',
  detail: { note: `for ${tenant}` },
});

describe.each([
  ['one Redis', startRedis],
  ['a Redis Cluster of three nodes', startRedisCluster],
])('purge on %s', (_name, start) => {
  let redis: { url: string; stop: () => Promise<void> };
  let ledger: Ledger;
  let prefix: string;

  beforeAll(async () => (redis = await start()));
  afterAll(() => redis.stop());
  beforeEach(async () => {
    prefix = `test-${randomUUID()}`;
    ledger = await openLedger(redis.url, { prefix });
  });
  afterEach(() => ledger.link.close());

  /** Stores data of each kind in TRACE_KINDS for a new tenant, and closes its account. Returns the tenant. */
  async function useEverything(): Promise<string> {
    const tenant = await createTenant(ledger, 600_000, { concurrentSessions: 10 });
    await ledger.registry.put('Tenant', tenant, '');
    for (const keyId of ['AAAAAAAAAA', 'BBBBBBBBBB']) await ledger.apiKeys.put(`${keyId}${tenant}`, { tenant, ...KEY });
    await ledger.apiKeys.revoke(`BBBBBBBBBB${tenant}`);
    await ledger.admit(tenant);
    const { sessionId } = await reserved(ledger, tenant, { seconds: 5, idempotencyKey: 'again' });
    await ledger.gateways.own(OWNER, { tenant, sessionId });
    await ledger.sessions.connect({ tenant, sessionId, credentialHash: 'hash', owner: OWNER, connectionId: 'c' });
    await ledger.pools.place('kikuyu', { tenant, sessionId });
    await ledger.pools.place('kikuyu', { tenant, sessionId: randomUUID(), priority: 'low' });
    await ledger.sessions.settle(tenant, sessionId, OWNER, 16_000, 'client closed');
    const cancelled = request(tenant, { seconds: 5 });
    await ledger.sessions.cancel({ ...cancelled, reason: 'no answer' });
    await reserved(ledger, tenant, { seconds: 5 });
    await ledger.identity.showPlan({ ledgerId: 'l', tenants: [{ tenant, grantedMs: 1 }] });
    await ledger.audit.append(
      ['admin-token', 'developer:link'].map((actor) => auditEntry(tenant, actor)),
      AUDIT_LIMITS,
    );
    await ledger.accounts.close(tenant);
    return tenant;
  }

  const mentions = async (tenant: string) => {
    const lines = await dumpRedis(ledger.link);
    return lines.filter((line) => line.startsWith(`${prefix}:`) && line.includes(tenant));
  };

  test('remove() deletes every mention of the tenant in all keys of all nodes', async () => {
    const tenant = await useEverything();
    expect(await ledger.purge.count(tenant)).toMatchObject({ key_records: 2, gateway_records: 1, list_entries: 1 });
    await ledger.gateways.disown(OWNER, { tenant, sessionId: (await ownedSession(tenant)) ?? '' });
    expect((await mentions(tenant)).length).toBeGreaterThan(12);
    const removed = await ledger.purge.remove(tenant);
    expect(removed).toEqual({
      account_keys: expect.any(Number),
      key_records: 2,
      gateway_records: 0,
      reaper_marks: expect.any(Number),
      queue_entries: 4,
      registry_entries: 1,
      list_entries: 1,
      rebuild_plans: 1,
      audit_entries: 2,
    });
    expect(removed.account_keys).toBeGreaterThanOrEqual(6);
    expect(removed.reaper_marks).toBeGreaterThanOrEqual(1);
    expect(await mentions(tenant)).toEqual([]);
    expect(await ledger.purge.count(tenant)).toEqual(NOTHING);
    expect(await ledger.purge.remove(tenant)).toEqual(NOTHING);
  });

  test('remove() keeps the audit entries of a tenant, but removes its name, its developers and all details from them', async () => {
    const tenant = await useEverything();
    const other = auditEntry(`${tenant}-2`, 'admin-token');
    await ledger.audit.append([other], AUDIT_LIMITS);
    await ledger.purge.remove(tenant);
    const kept = await ledger.audit.read({ count: 10 });
    expect(kept).toContainEqual(other);
    const purged = kept.filter((entry) => entry.tenant === null);
    expect(purged.map(({ actor }) => actor).sort()).toEqual(['admin-token', 'developer']);
    for (const entry of purged) {
      expect(entry).toMatchObject({ action: 'tenant.update', target: 'purged', requestId: 'r-1', detail: {} });
    }
  });

  async function ownedSession(tenant: string): Promise<string | undefined> {
    const key = createRedisKeys(prefix).owned(OWNER.id);
    const records = (await ledger.link.send(key, ['SMEMBERS', key])) as string[];
    return records.map((record) => record.split(' ')).find(([, owner]) => owner === tenant)?.[2];
  }

  test('remove() does not change other tenants, even one whose name starts with the same characters', async () => {
    const tenant = await useEverything();
    const keys = createRedisKeys(prefix);
    const similar = `${tenant}-2`;
    await ledger.accounts.configure(similar, {
      displayName: 'Other',
      state: 'Active',
      models: ['*'],
      limits: { concurrentSessions: 1, sessionsPerMinute: 60, requestsPerMinute: 60 },
    });
    await ledger.accounts.grant(similar, 'first', 60_000);
    await ledger.registry.put('Tenant', similar, '');
    await ledger.apiKeys.put('CCCCCCCCCC', { tenant: similar, ...KEY });
    await reserved(ledger, similar, { seconds: 5 });
    const before = await ledger.purge.count(similar);
    await ledger.purge.remove(tenant);
    expect(await ledger.purge.count(similar)).toEqual(before);
    expect(await ledger.link.send(keys.registry('Tenant'), ['HKEYS', keys.registry('Tenant')])).toEqual([similar]);
    expect(await ledger.accounts.read(similar)).toMatchObject({ liveSessions: 1, reservedMs: 5000 });
  });

  test.each([
    ['account_keys', (tenant: string) => [`${prefix}:{t:${tenant}}:x:1`, 'SET', '1']],
    ['key_records', (tenant: string) => [`${prefix}:{k:DDDDDDDDDD}:k`, 'HSET', 'tenant', tenant]],
    ['gateway_records', (tenant: string) => [`${prefix}:{g:g2}:s`, 'SADD', `1 ${tenant} s`]],
    ['reaper_marks', (tenant: string) => [`${prefix}:{d:3}:due`, 'ZADD', '1', `1:${tenant}`]],
    ['queue_entries', (tenant: string) => [`${prefix}:{m:luo}:q`, 'RPUSH', tenant]],
    ['registry_entries', (tenant: string) => [`${prefix}:{o}:registry:Tenant`, 'HSET', tenant, '']],
    ['list_entries', (tenant: string) => [`${prefix}:{o}:tenants`, 'SADD', tenant]],
  ])('count() finds an entry of the kind %s that was written after the removal of the tenant', async (kind, left) => {
    const tenant = await createTenant(ledger, 1000);
    await ledger.accounts.close(tenant);
    await ledger.purge.remove(tenant);
    const [key = '', command = '', ...args] = left(tenant);
    await ledger.link.send(key, [command, key, ...args]);
    expect(await ledger.purge.count(tenant)).toEqual({ ...NOTHING, [kind]: 1 });
  });

  test('a new tenant with the name of a removed one starts without credit, sessions and usage', async () => {
    const tenant = await useEverything();
    await ledger.purge.remove(tenant);
    await ledger.accounts.configure(tenant, {
      displayName: 'New',
      state: 'Active',
      models: ['*'],
      limits: { concurrentSessions: 1, sessionsPerMinute: 60, requestsPerMinute: 60 },
    });
    expect(await ledger.accounts.grant(tenant, 'first', 1000)).toEqual({ applied: true, amountMs: 1000 });
    expect(await ledger.accounts.read(tenant)).toMatchObject({ grantedMs: 1000, consumedMs: 0, liveSessions: 0 });
    expect(await latestSessions(ledger, tenant)).toEqual([]);
    expect(await ledger.accounts.dailyUsage(tenant, 400)).toEqual([]);
    expect(await ledger.journal.read(tenant)).toHaveLength(1);
  });

  test('a purge request is answered only once, and an answer to a withdrawn request is ignored', async () => {
    const { requests } = ledger.purge;
    const request = { tenant: 'acme', id: '1', action: 'count' } as const;
    await requests.submit(request, 60_000);
    expect(await requests.list()).toEqual([request]);
    await requests.answer(request, ANSWER);
    expect([await requests.answerTo(request), await requests.list()]).toEqual([ANSWER, []]);
    await requests.withdraw(request);
    await requests.answer(request, ANSWER);
    expect(await requests.answerTo(request)).toBeUndefined();
  });

  test('two purge requests for one tenant are stored, answered and withdrawn separately', async () => {
    const { requests } = ledger.purge;
    const [first, second] = [
      { tenant: 'acme', id: '1', action: 'count' },
      { tenant: 'acme', id: '2', action: 'remove' },
    ] as const;
    await requests.submit(first, 60_000);
    await requests.submit(second, 60_000);
    await requests.answer(first, ANSWER);
    expect([await requests.answerTo(first), await requests.list()]).toEqual([ANSWER, [second]]);
    await requests.withdraw(first);
    expect(await requests.list()).toEqual([second]);
  });

  test('a purge request expires when its console stops waiting, so that the request cannot remove a later tenant of the same name', async () => {
    const key = createRedisKeys(prefix).purge();
    const { requests } = ledger.purge;
    await requests.submit({ tenant: 'acme', id: '1', action: 'remove' }, 1);
    await requests.submit({ tenant: 'other', id: '2', action: 'remove' }, 60_000);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await requests.list()).toEqual([{ tenant: 'other', id: '2', action: 'remove' }]);
    expect(await ledger.link.send(key, ['HKEYS', key])).toEqual(['other/2']);
  });

  test('the answer to a purge request is deleted when the request expires', async () => {
    const key = createRedisKeys(prefix).purge();
    const { requests } = ledger.purge;
    const request = { tenant: 'acme', id: '1', action: 'count' } as const;
    await requests.submit(request, 1);
    await requests.answer(request, ANSWER);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await requests.list();
    expect(await ledger.link.send(key, ['HKEYS', key])).toEqual([]);
  });

  test('a purge request without an expiry is ignored and deleted', async () => {
    const key = createRedisKeys(prefix).purge();
    await ledger.link.send(key, ['HSET', key, 'acme/1', '{"action":"remove"}']);
    expect(await ledger.purge.requests.list()).toEqual([]);
    expect(await ledger.link.send(key, ['HKEYS', key])).toEqual([]);
  });

  test('submit() stores a purge request and its expiry with one command', async () => {
    const sent: string[] = [];
    const link: RedisLink = {
      ...ledger.link,
      send: (key, command) => {
        sent.push(command[0] ?? '');
        return ledger.link.send(key, command);
      },
    };
    await createPurgeRequests(link, createRedisKeys(prefix)).submit(
      { tenant: 'acme', id: '1', action: 'remove' },
      60_000,
    );
    expect(sent).toEqual(['TIME', 'HSET']);
  });

  test('countStreams counts the streams of a tenant that gateways serve, even after the account was closed', async () => {
    const tenant = await useEverything();
    const sessionId = (await ownedSession(tenant)) ?? '';
    await ledger.gateways.own({ id: 'gateway-2', epoch: 1 }, { tenant: `${tenant}-2`, sessionId });
    expect(await ledger.purge.countStreams(tenant)).toBe(1);
    await ledger.gateways.disown(OWNER, { tenant, sessionId });
    expect(await ledger.purge.countStreams(tenant)).toBe(0);
  });
});

test('every key that createRedisKeys can build matches a family of keys in traces.ts', () => {
  const names = Object.values(createRedisKeys('p')).map((build) =>
    (build as (...args: unknown[]) => string)('Tenant', 1),
  );
  expect(names.filter((name) => findFamily(name.slice(2)) === undefined)).toEqual([]);
});
