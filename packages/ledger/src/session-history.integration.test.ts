import { randomUUID } from 'node:crypto';
import { createTenant, openLedger, provisional, request, reserved } from '../../../test/support/ledger.ts';
import { startRedis } from '../../../test/support/redis.ts';
import { startRedisCluster } from '../../../test/support/redis-cluster.ts';
import { createRedisKeys } from './keys.ts';
import type { Ledger } from './ledger.ts';
import type { ReserveRequest } from './reservation.ts';
import type { Owner } from './sessions.ts';

const OWNER: Owner = { id: 'gateway-1', epoch: 1 };
const KEY = '8fK2pQ9xLm';
const ALL = { limit: 1000 };

describe.each([
  ['one Redis', startRedis],
  ['a Redis Cluster of three nodes', startRedisCluster],
])('the history of sessions on %s', (_name, start) => {
  let redis: { url: string; stop: () => Promise<void> };
  let ledger: Ledger;
  const prefix = `history-${randomUUID()}`;
  const keys = createRedisKeys(prefix);
  beforeAll(async () => {
    redis = await start();
    ledger = await openLedger(redis.url, { prefix });
  });
  afterAll(async () => {
    await ledger.link.close();
    await redis.stop();
  });

  const tenantWith = (concurrentSessions = 1000) => createTenant(ledger, 10_000_000, { concurrentSessions });

  /** Creates a session and opens its stream. */
  async function active(tenant: string, changes: Partial<ReserveRequest> = {}): Promise<string> {
    const { sessionId } = await reserved(ledger, tenant, changes);
    const connection = { tenant, sessionId, credentialHash: 'hash', connectionId: randomUUID() };
    expect(await ledger.sessions.connect({ ...connection, owner: OWNER })).toMatchObject({ outcome: 'ok' });
    return sessionId;
  }

  test('sessionHistory returns key, request and reservation of a session from its creation until after its end', async () => {
    const tenant = await tenantWith();
    const origin = { keyId: KEY, requestId: randomUUID() };
    const { sessionId } = await reserved(ledger, tenant, { seconds: 60, origin });
    const expected = { id: sessionId, model: 'kikuyu', source: 'api', ...origin, reservedMs: 60_000 };
    const open = { audioMs: 0, billableMs: 0, createdAtMs: expect.any(Number), completedAtMs: null };
    const reservedRecord = { ...expected, ...open, state: 'reserved', endReason: null, closeCode: null };
    expect(await ledger.sessionHistory.list(tenant, ALL)).toEqual({ sessions: [reservedRecord], hasMore: false });
    expect(await ledger.sessionHistory.find(tenant, sessionId)).toEqual(reservedRecord);

    const connection = { tenant, sessionId, credentialHash: 'hash', connectionId: 'c', owner: OWNER };
    await ledger.sessions.connect(connection);
    expect(await ledger.sessionHistory.find(tenant, sessionId)).toEqual({ ...reservedRecord, state: 'active' });
    await ledger.sessions.settle(tenant, sessionId, OWNER, 16_001, 'closed', {
      end: { reason: 'idle_timeout', closeCode: 4408 },
    });
    const ended = {
      ...expected,
      state: 'completed',
      audioMs: 1001,
      billableMs: 2000,
      createdAtMs: expect.any(Number),
      completedAtMs: expect.any(Number),
      endReason: 'idle_timeout',
      closeCode: 4408,
    };
    expect(await ledger.sessionHistory.list(tenant, ALL)).toEqual({ sessions: [ended], hasMore: false });
    expect(await ledger.sessionHistory.find(tenant, sessionId)).toEqual(ended);
    // The public API reads the same line of the list.
    expect(await ledger.sessionAccess.get(tenant, sessionId)).toMatchObject({
      state: 'completed',
      endReason: 'idle_timeout',
      closeCode: 4408,
    });
  });

  test('sessionHistory lists failed sessions, sessions without an end reason and sessions without an origin', async () => {
    const tenant = await tenantWith();
    const [first, second] = [await active(tenant, { seconds: 7 }), await active(tenant)];
    await ledger.sessions.settle(tenant, first, OWNER, 16_000, 'closed');
    await ledger.sessions.fail(tenant, second, OWNER, 0, 'lost');
    const { sessions } = await ledger.sessionHistory.list(tenant, ALL);
    const unknown = { source: 'api', keyId: null, requestId: null, closeCode: null };
    expect(sessions).toMatchObject([
      { id: second, state: 'failed', billableMs: 0, reservedMs: 60_000, endReason: 'service_error', ...unknown },
      { id: first, state: 'completed', billableMs: 1000, reservedMs: 7000, endReason: null, ...unknown },
    ]);
    expect(await ledger.sessionAccess.get(tenant, first)).toMatchObject({ endReason: null, closeCode: null });
  });

  test('sessionHistory returns the same key and request for all sessions of a chain and all parts of a file', async () => {
    const tenant = await tenantWith();
    const origin = { keyId: KEY, requestId: randomUUID() };
    const [first, next] = [await active(tenant, { seconds: 10, origin }), randomUUID()];
    await ledger.sessions.chain({ tenant, sessionId: first, owner: OWNER, nextId: next, seconds: 10, chainId: first });
    await ledger.sessions.settle(tenant, next, OWNER, 16_000, 'closed');
    const file = await active(tenant, { seconds: 30, origin });
    const ids = [randomUUID(), randomUUID()];
    await ledger.sessions.settle(tenant, file, OWNER, 25 * 16_000, 'closed', { parts: { ms: 10_000, ids } });
    const { sessions } = await ledger.sessionHistory.list(tenant, ALL);
    expect(new Set(sessions.map(({ id }) => id))).toEqual(new Set([first, next, file, ...ids]));
    for (const session of sessions) expect(session).toMatchObject({ source: 'api', ...origin });
  });

  test('a playground session has no key, and a repeated request does not change the origin of its session', async () => {
    const tenant = await tenantWith();
    const origin = { keyId: null, requestId: randomUUID() };
    const wanted = { origin, idempotencyKey: 'again' };
    const { sessionId } = await reserved(ledger, tenant, wanted);
    const repeated = await reserved(ledger, tenant, { ...wanted, origin: { keyId: KEY, requestId: randomUUID() } });
    expect(repeated.sessionId).toBe(sessionId);
    expect(await ledger.sessionHistory.find(tenant, sessionId)).toMatchObject({ source: 'playground', ...origin });
  });

  test('sessionHistory lists records of the previous version, with null for values that they do not contain', async () => {
    const tenant = await tenantWith();
    const [old, plain, live] = [randomUUID(), randomUUID(), randomUUID()];
    const key = keys.recent(tenant);
    const hash = keys.session(tenant, live);
    await ledger.link.send(hash, [
      'HSET',
      hash,
      'model',
      'kikuyu',
      'created',
      '300',
      'reserved',
      '5000',
      'st',
      'active',
    ]);
    await ledger.link.send(key, ['RPUSH', key, live]);
    await ledger.link.send(key, ['RPUSH', key, `${plain} completed 200 250 10 1000 kikuyu idle_timeout 4408`]);
    await ledger.link.send(key, ['RPUSH', key, `${old} expired 100 150 0 0 kikuyu`]);
    const unknown = { source: 'api', keyId: null, requestId: null };
    expect((await ledger.sessionHistory.list(tenant, ALL)).sessions).toMatchObject([
      { id: live, state: 'active', reservedMs: 5000, ...unknown },
      { id: plain, state: 'completed', reservedMs: null, endReason: 'idle_timeout', closeCode: 4408, ...unknown },
      { id: old, state: 'expired', reservedMs: null, endReason: null, closeCode: null, ...unknown },
    ]);
  });

  test('list() returns pages with the newest session first, and an empty page after an unknown session', async () => {
    const tenant = await tenantWith();
    const ids: string[] = [];
    for (let count = 0; count < 5; count++) {
      ids.unshift((await reserved(ledger, tenant)).sessionId);
      // Because of the pause, all sessions have different times of creation.
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const page = async (limit: number, before?: string) => {
      const { sessions, hasMore } = await ledger.sessionHistory.list(tenant, { limit, before });
      return [sessions.map(({ id }) => id), hasMore];
    };
    expect(await page(2)).toEqual([ids.slice(0, 2), true]);
    expect(await page(2, ids[1])).toEqual([ids.slice(2, 4), true]);
    expect(await page(2, ids[3])).toEqual([ids.slice(4), false]);
    expect(await page(5)).toEqual([ids, false]);
    expect(await page(4)).toEqual([ids.slice(0, 4), true]);
    expect(await page(5, ids[4])).toEqual([[], false]);
    expect(await page(5, randomUUID())).toEqual([[], false]);
  });

  test('list() filters sessions by state, model, key, source and end reason before it divides them into pages', async () => {
    const tenant = await tenantWith();
    const by = (keyId: string | null) => ({ origin: { keyId, requestId: randomUUID() } });
    const ended = await active(tenant, { ...by(KEY), model: 'luo' });
    await ledger.sessions.settle(tenant, ended, OWNER, 16_000, 'closed', {
      end: { reason: 'client_closed', closeCode: 1000 },
    });
    const live = await active(tenant, by('AAAAAAAAAA'));
    const { sessionId: waiting } = await reserved(ledger, tenant, by(null));
    const found = async (filter: object) => {
      const { sessions } = await ledger.sessionHistory.list(tenant, { ...ALL, ...filter });
      return new Set(sessions.map(({ id }) => id));
    };
    expect(await found({ state: 'completed' })).toEqual(new Set([ended]));
    expect(await found({ state: 'active' })).toEqual(new Set([live]));
    expect(await found({ model: 'kikuyu' })).toEqual(new Set([live, waiting]));
    expect(await found({ keyId: KEY })).toEqual(new Set([ended]));
    expect(await found({ source: 'playground' })).toEqual(new Set([waiting]));
    expect(await found({ endReason: 'client_closed' })).toEqual(new Set([ended]));
    expect(await found({ endReason: 'client_closed', model: 'kikuyu' })).toEqual(new Set());
    const page = await ledger.sessionHistory.list(tenant, { limit: 1, model: 'kikuyu' });
    expect([page.sessions.length, page.hasMore]).toEqual([1, true]);
  });

  test('list() returns at least the last 100 sessions, and find() also returns an older session that is live', async () => {
    const tenant = await tenantWith();
    const { sessionId: oldest } = await reserved(ledger, tenant);
    for (let count = 0; count < 120; count++) await reserved(ledger, tenant);
    const { sessions, hasMore } = await ledger.sessionHistory.list(tenant, ALL);
    expect(sessions.length).toBeGreaterThanOrEqual(100);
    expect(sessions.length).toBeLessThan(120);
    expect(hasMore).toBe(false);
    expect(sessions.map(({ id }) => id)).not.toContain(oldest);
    expect(await ledger.sessionHistory.find(tenant, oldest)).toMatchObject({ id: oldest, state: 'reserved' });
  });

  test('find() does not return a session that is unknown, not confirmed or of another tenant', async () => {
    const tenant = await tenantWith();
    const { sessionId } = await provisional(ledger, request(tenant));
    expect(await ledger.sessionHistory.find(tenant, sessionId)).toBeUndefined();
    const { sessionId: confirmed } = await reserved(ledger, tenant);
    expect(await ledger.sessionHistory.find(await tenantWith(), confirmed)).toBeUndefined();
    expect(await ledger.sessionHistory.find(tenant, randomUUID())).toBeUndefined();
  });
});
