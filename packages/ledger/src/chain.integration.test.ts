import { randomUUID } from 'node:crypto';
import { createTenant, openLedger, request, reserved } from '../../../test/support/ledger.ts';
import { startRedis } from '../../../test/support/redis.ts';
import { startRedisCluster } from '../../../test/support/redis-cluster.ts';
import { replay } from './journal.ts';
import { createRedisKeys } from './keys.ts';
import type { Ledger } from './ledger.ts';
import type { Owner } from './sessions.ts';

const OWNER: Owner = { id: 'gateway-1', epoch: 1 };
const MODEL = 'kikuyu';
const PREFIX = `chain-${randomUUID()}`;
const raise = (error: unknown) => {
  throw error;
};

describe.each([
  ['one Redis', startRedis],
  ['a Redis Cluster of three nodes', startRedisCluster],
])('a chain of sessions on %s', (_name, start) => {
  let redis: { url: string; stop: () => Promise<void> };
  let ledger: Ledger;
  beforeAll(async () => {
    redis = await start();
    ledger = await openLedger(redis.url, { prefix: PREFIX });
  });
  afterAll(async () => {
    await ledger.link.close();
    await redis.stop();
  });

  /** Creates an active session of 10 s, unless `seconds` is given. */
  async function active(tenant: string, owner = OWNER, seconds = 10): Promise<string> {
    const { sessionId } = await reserved(ledger, tenant, { seconds });
    const connection = { tenant, sessionId, credentialHash: 'hash', connectionId: randomUUID() };
    expect(await ledger.sessions.connect({ ...connection, owner })).toMatchObject({ outcome: 'ok' });
    return sessionId;
  }
  const chain = (
    tenant: string,
    sessionId: string,
    nextId: string,
    changes: { owner?: Owner; chainId?: string } = {},
  ) => ledger.sessions.chain({ tenant, sessionId, owner: OWNER, nextId, seconds: 10, chainId: sessionId, ...changes });
  const balance = async (tenant: string) => (await ledger.accounts.usage(tenant))!.balance;
  const recent = async (tenant: string) => (await ledger.accounts.usage(tenant))!.recent;

  /** Checks that the entries of the journal add up to the account. */
  async function checkJournal(tenant: string): Promise<void> {
    const { grantedMs: granted, reservedMs, consumedMs } = await balance(tenant);
    const entries = await ledger.journal.read(tenant, { count: 1000 });
    expect(replay(entries)).toEqual({ granted, reserved: reservedMs, consumed: consumedMs });
  }

  test('chain() settles the full session and reserves the next one', async () => {
    const tenant = await createTenant(ledger, 100_000);
    const [first, next] = [await active(tenant), randomUUID()];
    expect(await chain(tenant, first, next)).toEqual({ outcome: 'ok', reservedMs: 10_000 });
    expect(await balance(tenant)).toMatchObject({ availableMs: 80_000, reservedMs: 10_000, consumedMs: 10_000 });
    expect(await recent(tenant)).toMatchObject([
      { id: next, state: 'active', model: MODEL },
      { id: first, state: 'completed', audioMs: 10_000, billableMs: 10_000 },
    ]);
    expect(await ledger.sessionAccess.get(tenant, first)).toMatchObject({
      endReason: 'audio_limit_reached',
      closeCode: null,
    });
    const settled = await ledger.sessions.settle(tenant, next, OWNER, 16_001, 'closed');
    expect(settled).toMatchObject({ outcome: 'ok', billableMs: 2000 });
    expect(await balance(tenant)).toMatchObject({ availableMs: 88_000, reservedMs: 0, consumedMs: 12_000 });
    await checkJournal(tenant);
  });

  test('a repeated call of chain() changes nothing and returns the same reservation', async () => {
    const tenant = await createTenant(ledger, 100_000);
    const [first, next] = [await active(tenant), randomUUID()];
    const results = await Promise.all([1, 2, 3].map(() => chain(tenant, first, next)));
    expect(results).toEqual(Array.from({ length: 3 }, () => ({ outcome: 'ok', reservedMs: 10_000 })));
    expect(await balance(tenant)).toMatchObject({ reservedMs: 10_000, consumedMs: 10_000 });
    // Another epoch of the gateway cannot repeat the call.
    expect(await chain(tenant, first, next, { owner: { id: 'gateway-1', epoch: 2 } })).toEqual({ outcome: 'stale' });
    await checkJournal(tenant);
  });

  test('all sessions of a chain together count as one for the concurrency limits of account and model, and for the session rate', async () => {
    const limits = { concurrentSessions: 2, sessionsPerMinute: 2, requestsPerMinute: 60 };
    const models = [{ model: MODEL, concurrentSessions: 1 }];
    const tenant = await createTenant(ledger, 100_000, { limits: { ...limits, models } });
    const [first, next, last] = [await active(tenant), randomUUID(), randomUUID()];
    await chain(tenant, first, next);
    await chain(tenant, next, last, { chainId: first });
    expect(await ledger.sessions.reserve(request(tenant))).toMatchObject({ outcome: 'model_concurrency', limit: 1 });
    expect(await ledger.sessions.reserve(request(tenant, { model: 'dholuo' }))).toMatchObject({ outcome: 'ok' });
    await ledger.sessions.settle(tenant, last, OWNER, 1, 'closed');
    expect(await ledger.sessions.reserve(request(tenant))).toMatchObject({ outcome: 'rate' });
    expect((await ledger.accounts.read(tenant))!.liveSessions).toBe(1);
  });

  test('chain() reserves the remaining credit if it is less than requested, but is refused and changes nothing if less than one second remains', async () => {
    const tenant = await createTenant(ledger, 13_999);
    const [first, next] = [await active(tenant), randomUUID()];
    expect(await chain(tenant, first, next)).toEqual({ outcome: 'ok', reservedMs: 3000 });
    const before = await ledger.journal.read(tenant, { count: 100 });
    expect(await chain(tenant, next, randomUUID(), { chainId: first })).toEqual({ outcome: 'credit' });
    expect(await ledger.journal.read(tenant, { count: 100 })).toEqual(before);
    await ledger.sessions.settle(tenant, next, OWNER, 48_000, 'limit');
    expect(await balance(tenant)).toMatchObject({ availableMs: 999, reservedMs: 0, consumedMs: 13_000 });
  });

  test('chain() charges the whole reservation of the previous session to the monthly budget, and renews the budget in a new month', async () => {
    const tenant = await createTenant(ledger, 0, { monthlyBudgetMs: 15_000 });
    const [first, next] = [await active(tenant), randomUUID()];
    expect(await chain(tenant, first, next)).toEqual({ outcome: 'ok', reservedMs: 5000 });
    expect((await ledger.accounts.usage(tenant))!.budget).toMatchObject({ remainingMs: 5000 });
    const account = createRedisKeys(PREFIX).account(tenant);
    await ledger.link.send(account, ['HSET', account, 'bm', '2001-02']);
    expect(await chain(tenant, next, randomUUID(), { chainId: first })).toEqual({ outcome: 'ok', reservedMs: 10_000 });
    expect((await ledger.accounts.usage(tenant))!.budget).toMatchObject({ remainingMs: 10_000 });
    await checkJournal(tenant);
  });

  test('chain() is refused if the session was cancelled, settled or never connected, if it has another owner, or if the account is closed', async () => {
    const tenant = await createTenant(ledger, 100_000, { concurrentSessions: 9 });
    const [cancelled, settled, owned, reservedOnly] = [
      await active(tenant),
      await active(tenant),
      await active(tenant),
      (await reserved(ledger, tenant)).sessionId,
    ];
    await ledger.sessionAccess.delete(tenant, cancelled);
    await ledger.sessions.settle(tenant, settled, OWNER, 5, 'closed');
    const before = await balance(tenant);
    expect(await chain(tenant, cancelled, randomUUID())).toEqual({ outcome: 'cancelled' });
    for (const id of [settled, reservedOnly, randomUUID()]) {
      expect(await chain(tenant, id, randomUUID())).toEqual({ outcome: 'stale' });
    }
    const other = { id: 'gateway-2', epoch: 1 };
    expect(await chain(tenant, owned, randomUUID(), { owner: other })).toEqual({ outcome: 'stale' });
    expect(await balance(tenant)).toEqual(before);
    await ledger.accounts.close(tenant);
    expect(await chain(tenant, owned, randomUUID())).toEqual({ outcome: 'stale' });
  });

  test('the last session of a chain fails without a charge and releases its slot if the gateway dies', async () => {
    const tenant = await createTenant(ledger, 100_000);
    const model = MODEL;
    const owner = await ledger.gateways.join(`gateway-${randomUUID()}`);
    await ledger.workers.register(model, { id: randomUUID(), address: 'ws://w', revision: 'r', slots: 1 });
    const [first, next, late] = [await active(tenant, owner), randomUUID(), randomUUID()];
    await ledger.gateways.own(owner, { tenant, sessionId: first });
    expect(await ledger.pools.place(model, { tenant, sessionId: first })).toMatchObject({ outcome: 'placed' });
    await ledger.gateways.own(owner, { tenant, sessionId: next, chainId: first });
    await chain(tenant, first, next, { owner });
    // The gateway calls chain() once more, but the call arrives only after the gateway was declared dead.
    await ledger.gateways.own(owner, { tenant, sessionId: late, chainId: first });
    await ledger.gateways.leave(owner);
    await ledger.gateways.reapDead(raise);
    expect(await chain(tenant, next, late, { owner, chainId: first })).toEqual({ outcome: 'stale' });
    expect(await balance(tenant)).toMatchObject({ availableMs: 90_000, reservedMs: 0, consumedMs: 10_000 });
    expect(await recent(tenant)).toMatchObject([
      { id: next, state: 'failed', billableMs: 0 },
      { id: first, state: 'completed' },
    ]);
    expect(await ledger.pools.load(model)).toMatchObject({ active: 0, held: 0 });
  });

  test('reconcile() keeps the slot of a chain while its gateway serves the stream, and releases it afterwards', async () => {
    const tenant = await createTenant(ledger, 100_000);
    const model = MODEL;
    const owner = await ledger.gateways.join(`gateway-${randomUUID()}`);
    await ledger.workers.register(model, { id: randomUUID(), address: 'ws://w', revision: 'r', slots: 1 });
    const [first, second, third] = [await active(tenant, owner), randomUUID(), randomUUID()];
    await ledger.pools.place(model, { tenant, sessionId: first });
    await chain(tenant, first, second, { owner });
    await chain(tenant, second, third, { owner, chainId: first });
    const parts = [
      { tenant, sessionId: first },
      ...[second, third].map((sessionId) => ({ tenant, sessionId, chainId: first })),
    ];
    for (const part of parts) await ledger.gateways.own(owner, part);
    const served = [parts[0]!, parts[2]!];
    const has = (id: string) => served.some(({ sessionId }) => sessionId === id);
    expect(await ledger.gateways.reconcile(owner, { has, list: () => served })).toBe(0);
    expect(await ledger.pools.load(model)).toMatchObject({ active: 1 });
    expect(await ledger.gateways.reconcile(owner, { has: () => false, list: () => [] })).toBe(1);
    expect(await ledger.pools.load(model)).toMatchObject({ active: 0 });
  });

  test.each([
    [16_000 * 25, [10_000, 10_000, 5000]],
    [16_000 * 20, [10_000, 10_000]],
    [16_000 * 20 + 1, [10_000, 10_000, 1000]],
    [16_000 * 3 - 1, [3000]],
    [16_000 * 40, [10_000, 10_000, 10_000]],
  ])(
    'settle() with parts of 10 s divides a session of 30 s with %d samples into sessions with the charges %j ms',
    async (samples, billed) => {
      const tenant = await createTenant(ledger, 100_000);
      const id = await active(tenant, OWNER, 30);
      const ids = [randomUUID(), randomUUID()];
      const settle = () => ledger.sessions.settle(tenant, id, OWNER, samples, 'closed', { parts: { ms: 10_000, ids } });
      const sum = billed.reduce((total, ms) => total + ms, 0);
      expect(await settle()).toMatchObject({ outcome: 'ok', billableMs: sum });
      expect(await settle()).toMatchObject({ outcome: 'already', billableMs: billed[0] });
      expect(await balance(tenant)).toMatchObject({ availableMs: 100_000 - sum, reservedMs: 0, consumedMs: sum });
      const sessions = (await recent(tenant)).reverse();
      expect(sessions.map(({ billableMs }) => billableMs)).toEqual(billed);
      expect(sessions.map((session) => session.id)).toEqual([id, ...ids].slice(0, billed.length));
      expect((await ledger.accounts.read(tenant))!.liveSessions).toBe(0);
      await checkJournal(tenant);
    },
  );
});
