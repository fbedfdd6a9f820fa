import { randomUUID } from 'node:crypto';
import { createLedger } from './ledger.ts';
import type { Ledger } from './ledger.ts';
import { createRedisKeys } from './keys.ts';
import type { RedisKeys } from './keys.ts';
import {
  createTenant,
  latestSessions,
  openLedger,
  provisional,
  request,
  reserved,
} from '../../../test/support/ledger.ts';
import { startRedis } from '../../../test/support/redis.ts';
import { startRedisCluster } from '../../../test/support/redis-cluster.ts';

const OWNER = { id: 'g', epoch: 1 };
const NEVER = -1;
const MISSING = -2;
const DAY_MS = 86_400_000;

describe.each([
  ['one Redis', startRedis],
  ['a Redis Cluster of three nodes', startRedisCluster],
])('ended sessions on %s', (_name, start) => {
  let redis: { url: string; stop: () => Promise<void> };
  let ledger: Ledger;
  let keys: RedisKeys;

  beforeAll(async () => {
    redis = await start();
    const prefix = `test-${randomUUID()}`;
    keys = createRedisKeys(prefix);
    ledger = await openLedger(redis.url, { prefix });
  });
  afterAll(async () => {
    await ledger.link.close();
    await redis.stop();
  });

  const send = (key: string, ...command: string[]) => ledger.link.send(key, command);
  const keptMs = async (key: string) => Number(await send(key, 'PTTL', key));
  const connect = (tenant: string, sessionId: string) =>
    ledger.sessions.connect({ tenant, sessionId, credentialHash: 'hash', owner: OWNER, connectionId: 'c' });
  const complete = async (tenant: string, sessionId: string, samples = 16_000) => {
    await connect(tenant, sessionId);
    return ledger.sessions.settle(tenant, sessionId, OWNER, samples, 'client closed');
  };

  test('the hash of a session without an Idempotency-Key is deleted when the session completes or fails, or when its account is closed', async () => {
    const tenant = await createTenant(ledger, 60_000, { concurrentSessions: 3 });
    const [done, failed, open] = await Promise.all(
      [1, 2, 3].map(async () => (await reserved(ledger, tenant, { seconds: 1 })).sessionId),
    );
    await complete(tenant, done!);
    await ledger.sessions.fail(tenant, failed!, undefined, 0, 'no worker');
    await ledger.accounts.close(tenant);
    for (const id of [done!, failed!, open!]) expect(await keptMs(keys.session(tenant, id))).toBe(MISSING);
  });

  test('accounts.usage() and sessionHistory list ended and live sessions by creation time, newest first, with audio, charge and times', async () => {
    const tenant = await createTenant(ledger, 600_000, { concurrentSessions: 100 });
    const sessions = [];
    for (let at = 0; at < 50; at++) sessions.push(await reserved(ledger, tenant, { seconds: 5 }));
    const newest = sessions.slice(-20).reverse();
    // The oldest of the listed sessions ends last.
    for (const at of [3, 10, 19]) await complete(tenant, newest[at]!.sessionId, 16_001);
    await ledger.sessions.fail(tenant, newest[5]!.sessionId, undefined, 0, 'no worker');
    const { recent } = (await ledger.accounts.usage(tenant))!;
    expect(recent.map(({ id }) => id)).toEqual(newest.map(({ sessionId }) => sessionId));
    expect(recent.map(({ createdAtMs }) => createdAtMs)).toEqual(newest.map(({ createdAtMs }) => createdAtMs));
    for (const at of [3, 10, 19]) {
      expect(recent[at]).toMatchObject({ state: 'completed', model: 'kikuyu', audioMs: 1001, billableMs: 2000 });
      expect(recent[at]!.completedAtMs).toBeGreaterThanOrEqual(recent[at]!.createdAtMs);
    }
    expect(recent[5]).toMatchObject({ state: 'failed', audioMs: 0, billableMs: 0 });
    expect(recent[0]).toMatchObject({ state: 'reserved', completedAtMs: null });
    expect(await latestSessions(ledger, tenant)).toMatchObject(recent);
  });

  test('sessionHistory and accounts.usage() return the same last 20 sessions', async () => {
    const tenant = await createTenant(ledger, 600_000, { concurrentSessions: 30 });
    for (let session = 0; session < 23; session++) await reserved(ledger, tenant, { seconds: 1 });
    const shown = (await ledger.accounts.usage(tenant))!.recent;
    const ids = (sessions: readonly { id: string }[]) => sessions.map(({ id }) => id).sort();
    const read = await latestSessions(ledger, tenant);
    expect(read).toHaveLength(20);
    expect(ids(read)).toEqual(ids(shown));
    const byId = new Map(shown.map((session) => [session.id, session]));
    for (const session of read) expect(session).toMatchObject(byId.get(session.id)!);
  });

  test('accounts.usage() returns the last 20 sessions, newest first', async () => {
    const tenant = await createTenant(ledger, 600_000);
    const ids: string[] = [];
    for (let i = 0; i < 23; i++) {
      const { sessionId } = await reserved(ledger, tenant, { seconds: 1 });
      ids.unshift(sessionId);
      await complete(tenant, sessionId);
    }
    const { recent } = (await ledger.accounts.usage(tenant))!;
    expect(recent.map(({ id }) => id)).toEqual(ids.slice(0, 20));
    // settle() still returns the end of a session that is no longer listed.
    expect((await ledger.sessions.settle(tenant, ids[22]!, OWNER, 5, 'x')).outcome).toBe('already');
  });

  test('the list of recent sessions expires 30 days after the last session, and configure() does not extend this period', async () => {
    const tenant = await createTenant(ledger, 60_000);
    const { sessionId } = await reserved(ledger, tenant, { seconds: 1 });
    await complete(tenant, sessionId);
    const first = await keptMs(keys.recent(tenant));
    expect(first).toBeGreaterThan(29 * DAY_MS);
    expect(first).toBeLessThanOrEqual(30 * DAY_MS);
    await ledger.accounts.configure(tenant, {
      displayName: 'again',
      state: 'Active',
      models: ['*'],
      limits: { concurrentSessions: 1, sessionsPerMinute: 60, requestsPerMinute: 60 },
    });
    expect(await keptMs(keys.recent(tenant))).toBeLessThanOrEqual(first);
  });

  test('settle() and fail() of an ended session return its end state and charge, from the recent sessions or from the journal', async () => {
    const tenant = await createTenant(ledger, 600_000, { concurrentSessions: 100 });
    const { sessionId } = await reserved(ledger, tenant, { seconds: 5 });
    const end = await complete(tenant, sessionId, 40_000);
    const already = { ...end, outcome: 'already' };
    expect(end).toEqual({ outcome: 'ok', state: 'completed', audioMs: 2500, billableMs: 3000, model: 'kikuyu' });
    expect(await ledger.sessions.settle(tenant, sessionId, OWNER, 1, 'late')).toEqual(already);
    // After this, the list of recent sessions does not contain the session, as if many sessions had followed it.
    await send(keys.recent(tenant), 'DEL', keys.recent(tenant));
    expect(await ledger.sessions.settle(tenant, sessionId, OWNER, 1, 'late')).toEqual(already);
    expect(await ledger.sessions.fail(tenant, sessionId, OWNER, 1, 'late')).toEqual(already);
    expect((await ledger.accounts.usage(tenant))!.balance).toMatchObject({ consumedMs: 3000 });
  });

  test.concurrent('a repeated request with the same Idempotency-Key gets the same session until the credential expires', async () => {
    const hasty = createLedger(ledger.link, { prefix: `test-${randomUUID()}`, sessionTtlMs: 5000 });
    const tenant = await createTenant(hasty, 60_000);
    const asked = request(tenant, { idempotencyKey: 'k', seconds: 5 });
    const first = await provisional(hasty, asked);
    await hasty.sessions.confirm(tenant, first);
    const connection = { tenant, sessionId: first.sessionId, credentialHash: 'hash', connectionId: 'c' };
    await hasty.sessions.connect({ ...connection, owner: OWNER });
    expect(await hasty.sessions.settle(tenant, first.sessionId, OWNER, 16_000, 'x')).toMatchObject({ outcome: 'ok' });
    const repeat = await hasty.sessions.reserve(request(tenant, { idempotencyKey: 'k', seconds: 5 }));
    expect(repeat).toMatchObject({ outcome: 'ok', reservation: { ...first, provisional: false } });
    const other = await hasty.sessions.reserve(request(tenant, { idempotencyKey: 'k', seconds: 6 }));
    expect(other).toEqual({ outcome: 'conflict' });
    await new Promise((resolve) => setTimeout(resolve, first.expiresAtMs + 50 - Date.now()));
    const later = await provisional(hasty, request(tenant, { idempotencyKey: 'k', seconds: 5 }));
    expect(later.sessionId).not.toBe(first.sessionId);
  });

  test('a live session of schema version 1 can be connected, is charged and ends', async () => {
    const tenant = await createTenant(ledger, 60_000);
    const { sessionId, createdAtMs, expiresAtMs } = await reserved(ledger, tenant, { seconds: 5 });
    const key = keys.session(tenant, sessionId);
    const named = ['model', 'created', 'expires', 'requested', 'reserved', 'remaining'];
    expect(await send(key, 'HDEL', key, ...named, 'attempt', 'secret', 'credential')).toBe(9);
    await send(key, 'HSET', key, 'd', `${expiresAtMs} ${createdAtMs} 5000 55 5 old-model attempt s1 hash`);
    expect(await latestSessions(ledger, tenant)).toMatchObject([{ id: sessionId, model: 'old-model', createdAtMs }]);
    expect(await complete(tenant, sessionId, 16_001)).toMatchObject({ outcome: 'ok', model: 'old-model' });
    const { balance, recent } = (await ledger.accounts.usage(tenant))!;
    expect(balance).toMatchObject({ reservedMs: 0, consumedMs: 2000 });
    expect(recent).toMatchObject([{ id: sessionId, model: 'old-model', state: 'completed', createdAtMs }]);
  });

  test('sessions that an earlier version ended are listed, and configure() converts their records', async () => {
    const tenant = await createTenant(ledger, 60_000);
    const id = randomUUID();
    const [created, completed] = [1_700_000_000_000, 1_700_000_009_000];
    const facts = `${created + 60_000} ${created} 60000 0 60 kikuyu attempt s1 hash`;
    const record = ['d', facts, 'st', 'completed', 'au', '1500', 'bi', '2000', 'co', String(completed)];
    await send(keys.session(tenant, id), 'HSET', keys.session(tenant, id), ...record);
    await send(keys.recent(tenant), 'LPUSH', keys.recent(tenant), id);
    const listed = { id, model: 'kikuyu', state: 'completed', audioMs: 1500, billableMs: 2000 };
    const expected = [{ ...listed, createdAtMs: created, completedAtMs: completed }];
    expect((await ledger.accounts.usage(tenant))!.recent).toEqual(expected);
    expect(await latestSessions(ledger, tenant)).toMatchObject(expected);
    expect(await ledger.sessions.settle(tenant, id, OWNER, 5, 'late')).toMatchObject({ outcome: 'already' });
    expect(await keptMs(keys.recent(tenant))).toBe(NEVER);
    await ledger.accounts.configure(tenant, {
      displayName: 'x',
      state: 'Active',
      models: ['*'],
      limits: { concurrentSessions: 1, sessionsPerMinute: 60, requestsPerMinute: 60 },
    });
    expect(await keptMs(keys.session(tenant, id))).toBe(MISSING);
    expect(await keptMs(keys.recent(tenant))).toBeGreaterThan(0);
    expect((await ledger.accounts.usage(tenant))!.recent).toEqual(expected);
  });

  test('daily usage adds up by model and day, including days that an earlier version wrote', async () => {
    const tenant = await createTenant(ledger, 600_000, { concurrentSessions: 9 });
    for (const model of ['b', 'a', 'b']) {
      const { sessionId } = await reserved(ledger, tenant, { seconds: 5, model });
      await complete(tenant, sessionId, 16_001);
    }
    const [now, today] = [Date.now(), Math.floor(Date.now() / DAY_MS)];
    for (const day of [today, today - 40]) {
      const key = keys.day(tenant, day);
      await send(key, 'HSET', key, 'b|sessions', '2', 'b|audio', '10', 'b|billable', '1000');
    }
    const date = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10);
    const latest = [
      { day: date(today), model: 'a', sessions: 1, audioMs: 1001, billableMs: 2000 },
      { day: date(today), model: 'b', sessions: 4, audioMs: 2012, billableMs: 5000 },
    ];
    expect(await ledger.accounts.dailyUsage(tenant, 30, now)).toEqual(latest);
    expect(await ledger.accounts.dailyUsage(tenant, 41, now)).toEqual([
      ...latest,
      { day: date(today - 40), model: 'b', sessions: 2, audioMs: 10, billableMs: 1000 },
    ]);
    const [old] = (await ledger.accounts.dailyUsage(tenant, 41, now)).slice(-1);
    expect(await ledger.accounts.usageBetween(tenant, date(today - 40), date(today))).toEqual([old, ...latest]);
    expect(await ledger.accounts.usageBetween(tenant, date(today - 39), date(today - 1))).toEqual([]);
    expect(await ledger.accounts.usageBetween(tenant, date(today), date(today - 1))).toEqual([]);
  });

  test('account, grants, journal, recent sessions and usage of a deleted tenant are kept for at most the retention time', async () => {
    const tenant = await createTenant(ledger, 60_000, { concurrentSessions: 2 });
    await complete(tenant, (await reserved(ledger, tenant, { seconds: 1 })).sessionId);
    await reserved(ledger, tenant, { seconds: 1 });
    const period = keys.usage(tenant, Math.floor(Date.now() / DAY_MS / 32));
    expect(await keptMs(period)).toBeGreaterThan(400 * DAY_MS);
    await ledger.accounts.close(tenant);
    const rest = [keys.account(tenant), keys.journal(tenant), keys.recent(tenant), period];
    for (const key of [...rest, keys.account(tenant).replace(/a$/, 'g')]) {
      expect(await keptMs(key)).toBeGreaterThan(0);
      expect(await keptMs(key)).toBeLessThanOrEqual(90 * DAY_MS);
    }
    await ledger.accounts.configure(tenant, {
      displayName: 'again',
      state: 'Active',
      models: ['*'],
      limits: { concurrentSessions: 1, sessionsPerMinute: 60, requestsPerMinute: 60 },
    });
    expect(await keptMs(keys.account(tenant))).toBe(NEVER);
    expect(await keptMs(period)).toBeGreaterThan(400 * DAY_MS);
  });

  test.concurrent('a live session whose hash is missing is not listed, and ends when usage is read after its deadline', async () => {
    const prefix = `test-${randomUUID()}`;
    const hasty = createLedger(ledger.link, { prefix, sessionTtlMs: 3000 });
    const tenant = await createTenant(hasty, 60_000);
    const { sessionId, expiresAtMs } = await reserved(hasty, tenant, { seconds: 1 });
    const key = createRedisKeys(prefix).session(tenant, sessionId);
    await send(key, 'DEL', key);
    await new Promise((resolve) => setTimeout(resolve, expiresAtMs + 50 - Date.now()));
    expect((await hasty.accounts.usage(tenant))!.recent).toEqual([]);
    expect(await hasty.accounts.read(tenant)).toMatchObject({ liveSessions: 0 });
  });
});
