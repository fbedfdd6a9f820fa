import { randomUUID } from 'node:crypto';
import type { Ledger } from './ledger.ts';
import { createTenant, openLedger, provisional, request, reserved } from '../../../test/support/ledger.ts';
import { startRedis } from '../../../test/support/redis.ts';
import { startRedisCluster } from '../../../test/support/redis-cluster.ts';

const OWNER = { id: 'gateway-1', epoch: 1 };
const raise = (error: unknown) => {
  throw error;
};
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Short lifetimes, because the tests wait until they have passed. The lease is long enough for a busy machine to
 * confirm a session.
 */
const HASTY = { sessionTtlMs: 3000, provisionalLeaseMs: 2000 };

describe.each([
  ['one Redis', startRedis],
  ['a Redis Cluster of three nodes', startRedisCluster],
])('the ledger on %s', (_name, start) => {
  let redis: { url: string; stop: () => Promise<void> };
  let ledger: Ledger;
  /** Ledger with the short lifetimes of HASTY. */
  let hasty: Ledger;

  beforeAll(async () => {
    redis = await start();
    ledger = await openLedger(redis.url);
    hasty = await openLedger(redis.url, HASTY);
  });
  afterAll(async () => {
    await ledger.link.close();
    await hasty.link.close();
    await redis.stop();
  });

  const balance = async (tenant: string, of = ledger) => (await of.accounts.usage(tenant))!.balance;
  const connect = (
    tenant: string,
    sessionId: string,
    of = ledger,
    owner = OWNER,
    connectionId: string = randomUUID(),
  ) => of.sessions.connect({ tenant, sessionId, credentialHash: 'hash', owner, connectionId });

  test('grant() applies a grant id only once, even if it is called four times in parallel', async () => {
    const tenant = await createTenant(ledger, 0);
    const asked = await Promise.all([1, 2, 3, 4].map(() => ledger.accounts.grant(tenant, 'welcome', 5000)));
    expect(asked.filter((answer) => answer.applied)).toHaveLength(1);
    expect(await balance(tenant)).toEqual({ grantedMs: 5000, reservedMs: 0, consumedMs: 0, availableMs: 5000 });
  });

  test('a negative grant removes at most the available credit', async () => {
    const tenant = await createTenant(ledger, 10_000);
    await reserved(ledger, tenant, { seconds: 7 });
    expect(await ledger.accounts.grant(tenant, 'oops', -8000)).toEqual({ applied: true, amountMs: -3000 });
    expect(await balance(tenant)).toMatchObject({ grantedMs: 7000, availableMs: 0, reservedMs: 7000 });
  });

  test('grant() fails for a tenant without an account', async () => {
    await expect(ledger.accounts.grant('nobody', 'g', 1)).rejects.toThrow('tenant "nobody" has no account');
  });

  test('reserve() returns the reserved and the remaining seconds', async () => {
    const tenant = await createTenant(ledger, 100_999);
    const got = await reserved(ledger, tenant, { seconds: 60 });
    expect(got).toMatchObject({ reservedSeconds: 60, remainingSeconds: 40 });
    expect(got.expiresAtMs - got.createdAtMs).toBe(60_000);
    expect(await balance(tenant)).toMatchObject({ availableMs: 40_999, reservedMs: 60_000 });
  });

  test.each([
    [1999, 1],
    [1000, 1],
    [59_999, 59],
    [60_000, 60],
  ])('reserve() with %i ms of credit reserves %i whole seconds', async (creditMs, seconds) => {
    const tenant = await createTenant(ledger, creditMs);
    expect(await reserved(ledger, tenant, { seconds: 60 })).toMatchObject({ reservedSeconds: seconds });
  });

  test('reserve() refuses a tenant with less than one second of credit and reserves nothing', async () => {
    const tenant = await createTenant(ledger, 999);
    expect(await ledger.sessions.reserve(request(tenant))).toEqual({ outcome: 'credit' });
    expect(await balance(tenant)).toMatchObject({ availableMs: 999, reservedMs: 0 });
  });

  test.each(['Waitlisted', 'Suspended', 'Declined'] as const)(
    'reserve() refuses an account in state %s',
    async (state) => {
      const tenant = await createTenant(ledger, 60_000, { state });
      expect(await ledger.sessions.reserve(request(tenant))).toEqual({ outcome: 'inactive' });
      expect(await ledger.admit(tenant)).toMatchObject({ state });
    },
  );

  test('admit(), usage() and read() return no account for an unknown tenant', async () => {
    expect((await ledger.admit('nobody')).state).toBeUndefined();
    expect(await ledger.accounts.usage('nobody')).toBeUndefined();
    expect(await ledger.accounts.read('nobody')).toBeUndefined();
  });

  test('reserve() compares whole model names with the models that the tenant may use', async () => {
    const tenant = await createTenant(ledger, 600_000, { models: ['kikuyu', 'dholuo'], concurrentSessions: 9 });
    expect((await ledger.sessions.reserve(request(tenant, { model: 'dholuo' }))).outcome).toBe('ok');
    for (const model of ['kik', 'uyu dho', 'kikuyu-v2', '']) {
      expect((await ledger.sessions.reserve(request(tenant, { model }))).outcome).toBe('scope');
    }
    const none = await createTenant(ledger, 600_000, { models: [] });
    expect((await ledger.sessions.reserve(request(none))).outcome).toBe('scope');
  });

  test('reserve() checks Idempotency-Key, model, scope, session rate, concurrency and credit, in this order', async () => {
    const tenant = await createTenant(ledger, 1000, {
      models: ['kikuyu'],
      limits: { concurrentSessions: 1, sessionsPerMinute: 1, requestsPerMinute: 1 },
    });
    const first = request(tenant, { idempotencyKey: 'k', seconds: 1 });
    await ledger.sessions.confirm(tenant, await provisional(ledger, first));
    const ask = async (changes: object) => (await ledger.sessions.reserve(request(tenant, changes))).outcome;
    expect(await ask({ idempotencyKey: 'k', seconds: 1, modelExists: false })).toBe('ok');
    expect(await ask({ idempotencyKey: 'k', seconds: 2, modelExists: false })).toBe('conflict');
    expect(await ask({ model: 'other', modelExists: false })).toBe('model_not_found');
    expect(await ask({ model: 'other' })).toBe('scope');
    expect(await ask({})).toBe('rate');
    const poor = await createTenant(ledger, 1000);
    await reserved(ledger, poor);
    expect((await ledger.sessions.reserve(request(poor))).outcome).toBe('concurrency');
  });

  test('parallel calls of reserve() create exactly as many sessions as the concurrency limit allows', async () => {
    const tenant = await createTenant(ledger, 600_000, { concurrentSessions: 3 });
    const all = await Promise.all(Array.from({ length: 10 }, () => ledger.sessions.reserve(request(tenant))));
    expect(all.filter(({ outcome }) => outcome === 'ok')).toHaveLength(3);
    expect(all.filter(({ outcome }) => outcome === 'concurrency')).toHaveLength(7);
    expect(await balance(tenant)).toMatchObject({ reservedMs: 180_000 });
  });

  test('the session rate limit does not count cancelled sessions', async () => {
    const limits = { concurrentSessions: 100, sessionsPerMinute: 5, requestsPerMinute: 5 };
    const tenant = await createTenant(ledger, 5000, { limits });
    for (let i = 0; i < 8; i++) {
      const ask = request(tenant, { seconds: 1 });
      expect((await ledger.sessions.reserve(ask)).outcome).toBe('ok');
      const cancel = { ...ask, reason: 'test' };
      expect((await ledger.sessions.cancel(cancel)).outcome).toBe('cancelled');
    }
    for (let i = 0; i < 5; i++) await reserved(ledger, tenant, { seconds: 1 });
    const sixth = await ledger.sessions.reserve(request(tenant, { seconds: 1 }));
    expect(sixth).toMatchObject({ outcome: 'rate', rate: { limit: 5, remaining: 0 } });
    // A limit of five per minute allows one more session every 12 s.
    if (sixth.outcome === 'rate') expect(Math.ceil(sixth.retryAfterMs / 1000)).toBeLessThanOrEqual(12);
  });

  test('the request rate limit allows a burst of exactly the limit per minute', async () => {
    const limits = { concurrentSessions: 1, sessionsPerMinute: 1, requestsPerMinute: 7 };
    const tenant = await createTenant(ledger, 0, { limits });
    const answers = [];
    for (let i = 0; i < 8; i++) answers.push(await ledger.admit(tenant));
    expect(answers.map(({ allowed }) => allowed)).toEqual([...Array<boolean>(7).fill(true), false]);
    expect(answers.map(({ rate }) => rate.remaining)).toEqual([6, 5, 4, 3, 2, 1, 0, 0]);
    expect(answers[7]!.retryAfterMs).toBeGreaterThan(0);
    expect(answers[7]!.retryAfterMs).toBeLessThanOrEqual(Math.ceil(60_000 / 7));
  });

  test('100 parallel requests with the same Idempotency-Key create one reservation', async () => {
    const tenant = await createTenant(ledger, 600_000);
    const all = await Promise.all(
      Array.from({ length: 100 }, () => reserved(ledger, tenant, { idempotencyKey: 'same', seconds: 30 })),
    );
    expect(new Set(all.map(({ sessionId }) => sessionId)).size).toBe(1);
    expect(await balance(tenant)).toMatchObject({ reservedMs: 30_000 });
    expect((await ledger.accounts.usage(tenant))!.recent).toHaveLength(1);
  });

  test('two tenants with the same Idempotency-Key get two sessions', async () => {
    const [one, two] = [await createTenant(ledger, 60_000), await createTenant(ledger, 60_000)];
    const [a, b] = [
      await reserved(ledger, one, { idempotencyKey: 'k' }),
      await reserved(ledger, two, { idempotencyKey: 'k' }),
    ];
    expect(a.sessionId).not.toBe(b.sessionId);
    expect((await connect(two, a.sessionId)).outcome).toBe('refused');
  });

  test.concurrent('an Idempotency-Key creates a new session after its first session has expired', async () => {
    const tenant = await createTenant(hasty, 60_000);
    const first = await reserved(hasty, tenant, { idempotencyKey: 'k' });
    await pause(HASTY.sessionTtlMs + 50);
    const second = await reserved(hasty, tenant, { idempotencyKey: 'k', seconds: 5 });
    expect(second.sessionId).not.toBe(first.sessionId);
  });

  test.concurrent('a session that never connects expires, and its whole reservation is released', async () => {
    const tenant = await createTenant(hasty, 60_000);
    const { sessionId } = await reserved(hasty, tenant);
    await pause(HASTY.sessionTtlMs + 50);
    expect((await connect(tenant, sessionId, hasty)).outcome).toBe('refused');
    const { balance: after, recent } = (await hasty.accounts.usage(tenant))!;
    expect(after).toMatchObject({ availableMs: 60_000, reservedMs: 0, consumedMs: 0 });
    expect(recent).toMatchObject([{ id: sessionId, state: 'expired', audioMs: 0, billableMs: 0 }]);
    expect(recent[0]!.completedAtMs).toBeGreaterThan(recent[0]!.createdAtMs);
  });

  test.concurrent('the reaper ends overdue sessions of all tenants, even if no tenant sends a request', async () => {
    const alone = await openLedger(redis.url, HASTY);
    const tenants = await Promise.all(Array.from({ length: 20 }, () => createTenant(alone, 60_000)));
    await Promise.all(tenants.map((tenant) => reserved(alone, tenant)));
    const waiting = await createTenant(alone, 60_000);
    await alone.sessions.reserve(request(waiting));
    let ended = 0;
    const deadline = Date.now() + 20_000;
    while (ended < 21 && Date.now() < deadline) {
      ended += await alone.reap(raise);
      await pause(50);
    }
    expect(ended).toBe(21);
    for (const tenant of [...tenants, waiting]) {
      expect(await alone.accounts.read(tenant)).toMatchObject({ reservedMs: 0, availableMs: 60_000, liveSessions: 0 });
    }
    expect((await alone.accounts.usage(waiting))!.recent).toEqual([]);
    await alone.link.close();
  });

  test.concurrent('two parallel reapers end each overdue session only once', async () => {
    const alone = await openLedger(redis.url, HASTY);
    const tenants = await Promise.all(Array.from({ length: 10 }, () => createTenant(alone, 60_000)));
    await Promise.all(tenants.map((tenant) => reserved(alone, tenant)));
    await pause(HASTY.sessionTtlMs + 1600);
    const [a, b] = await Promise.all([alone.reap(raise), alone.reap(raise)]);
    expect(a + b).toBe(10);
    await alone.link.close();
  });

  test.concurrent('a provisional session is removed after its lease has expired, and its Idempotency-Key can create a new session', async () => {
    const tenant = await createTenant(hasty, 60_000);
    const ask = request(tenant, { idempotencyKey: 'k' });
    const held = await provisional(hasty, ask);
    await pause(HASTY.provisionalLeaseMs + 50);
    expect(await balance(tenant, hasty)).toMatchObject({ reservedMs: 0 });
    expect(await hasty.sessions.confirm(tenant, held)).toBe(false);
    expect((await hasty.sessions.reserve(request(tenant, { idempotencyKey: 'k', seconds: 3 }))).outcome).toBe('ok');
  });

  test('a provisional session cannot be connected before it is confirmed, even if provisional sessions last longer than credentials', async () => {
    const patient = await openLedger(redis.url, { sessionTtlMs: 20_000, provisionalLeaseMs: 60_000 });
    const tenant = await createTenant(patient, 60_000);
    const held = await provisional(patient, request(tenant, { idempotencyKey: 'k' }));
    const again = await provisional(patient, request(tenant, { idempotencyKey: 'k' }));
    expect([held.provisional, again.provisional]).toEqual([true, true]);
    expect((await connect(tenant, held.sessionId, patient)).outcome).toBe('refused');
    expect((await patient.accounts.usage(tenant))!.recent).toEqual([]);
    for (let i = 0; i < 2; i++) expect(await patient.sessions.confirm(tenant, again)).toBe(true);
    expect((await patient.accounts.usage(tenant))!.recent).toMatchObject([{ id: held.sessionId, state: 'reserved' }]);
    expect((await provisional(patient, request(tenant, { idempotencyKey: 'k' }))).provisional).toBe(false);
    expect((await connect(tenant, held.sessionId, patient)).outcome).toBe('ok');
    expect(await patient.sessions.confirm(tenant, held)).toBe(true);
    await patient.link.close();
  });

  test('only one of 50 parallel calls of connect() gets the session', async () => {
    const tenant = await createTenant(ledger, 60_000);
    const { sessionId } = await reserved(ledger, tenant);
    const all = await Promise.all(Array.from({ length: 50 }, () => connect(tenant, sessionId)));
    expect(all.filter(({ outcome }) => outcome === 'ok')).toHaveLength(1);
  });

  test('connect() returns the same result if the same connection repeats the call, and refuses another connection', async () => {
    const tenant = await createTenant(ledger, 60_000);
    const { sessionId } = await reserved(ledger, tenant, { seconds: 5 });
    const once = await connect(tenant, sessionId, ledger, OWNER, 'c1');
    expect(once).toEqual({ outcome: 'ok', model: 'kikuyu', reservedMs: 5000, priority: 'normal' });
    expect(await connect(tenant, sessionId, ledger, OWNER, 'c1')).toEqual(once);
    expect(await connect(tenant, sessionId, ledger, OWNER, 'c2')).toEqual({ outcome: 'refused' });
  });

  test('connect() refuses a wrong credential, a provisional session and an inactive account', async () => {
    const tenant = await createTenant(ledger, 600_000, { concurrentSessions: 2 });
    const ask = request(tenant);
    const held = await provisional(ledger, ask);
    expect((await connect(tenant, ask.sessionId)).outcome).toBe('refused');
    await ledger.sessions.confirm(tenant, held);
    const wrong = { tenant, sessionId: ask.sessionId, credentialHash: 'no', owner: OWNER, connectionId: 'c' };
    expect((await ledger.sessions.connect(wrong)).outcome).toBe('refused');
    await ledger.accounts.configure(tenant, {
      displayName: 'x',
      state: 'Suspended',
      models: ['*'],
      limits: { concurrentSessions: 2, sessionsPerMinute: 60, requestsPerMinute: 60 },
    });
    expect((await connect(tenant, ask.sessionId)).outcome).toBe('inactive');
  });

  test.each([
    [0, 0, 0],
    [1, 1, 1000],
    [16_000, 1000, 1000],
    [16_001, 1001, 2000],
    [80_000, 5000, 5000],
    [80_001, 5000, 5000],
  ])(
    'settle() with %i accepted samples records %i ms of audio and charges %i ms',
    async (samples, audioMs, billableMs) => {
      const tenant = await createTenant(ledger, 60_000);
      const { sessionId } = await reserved(ledger, tenant, { seconds: 5 });
      await connect(tenant, sessionId);
      const end = await ledger.sessions.settle(tenant, sessionId, OWNER, samples, 'client closed');
      expect(end).toEqual({ outcome: 'ok', state: 'completed', audioMs, billableMs, model: 'kikuyu' });
      expect(await ledger.sessions.settle(tenant, sessionId, OWNER, 1, 'again')).toEqual({
        ...end,
        outcome: 'already',
      });
      expect(await ledger.sessions.fail(tenant, sessionId, OWNER, 1, 'late')).toEqual({ ...end, outcome: 'already' });
      expect(await balance(tenant)).toMatchObject({ consumedMs: billableMs, reservedMs: 0 });
      const days = await ledger.accounts.dailyUsage(tenant, 2);
      expect(days).toMatchObject([{ model: 'kikuyu', sessions: 1, audioMs, billableMs }]);
    },
  );

  test('fail() records the accepted audio but charges nothing', async () => {
    const tenant = await createTenant(ledger, 60_000);
    const { sessionId } = await reserved(ledger, tenant);
    await connect(tenant, sessionId);
    expect(await ledger.sessions.fail(tenant, sessionId, OWNER, 32_000, 'worker lost')).toEqual({
      outcome: 'ok',
      state: 'failed',
      audioMs: 2000,
      billableMs: 0,
      model: 'kikuyu',
    });
    expect(await balance(tenant)).toMatchObject({ availableMs: 60_000, consumedMs: 0 });
  });

  test('settle() and fail() are refused if the owner or the epoch does not match', async () => {
    const tenant = await createTenant(ledger, 60_000);
    const { sessionId } = await reserved(ledger, tenant);
    expect((await ledger.sessions.settle(tenant, sessionId, OWNER, 0, 'too early')).outcome).toBe('not_connected');
    await connect(tenant, sessionId);
    for (const other of [
      { id: 'gateway-2', epoch: 1 },
      { id: 'gateway-1', epoch: 2 },
    ]) {
      expect((await ledger.sessions.settle(tenant, sessionId, other, 0, 'x')).outcome).toBe('stale');
      expect((await ledger.sessions.fail(tenant, sessionId, other, 0, 'x')).outcome).toBe('stale');
    }
    expect((await ledger.sessions.fail(tenant, sessionId, undefined, 0, 'x')).outcome).toBe('stale');
    expect((await ledger.sessions.settle(tenant, randomUUID(), OWNER, 0, 'x')).outcome).toBe('unknown');
    expect((await ledger.sessions.settle(tenant, sessionId, OWNER, 0, 'x')).outcome).toBe('ok');
  });

  test('reserve() is refused if cancel() was already called for the same session', async () => {
    const tenant = await createTenant(ledger, 60_000);
    const ask = request(tenant);
    expect(await ledger.sessions.cancel({ ...ask, reason: 'no answer' })).toMatchObject({ outcome: 'none' });
    expect(await ledger.sessions.reserve(ask)).toEqual({ outcome: 'cancelled' });
    expect(await balance(tenant)).toMatchObject({ reservedMs: 0 });
  });

  test('cancel() rolls back a confirmed session, and a repeated call of cancel() changes nothing', async () => {
    const tenant = await createTenant(ledger, 60_000);
    const ask = request(tenant, { idempotencyKey: 'k' });
    const held = await provisional(ledger, ask);
    await ledger.sessions.confirm(tenant, held);
    expect(await ledger.sessions.cancel({ ...ask, reason: 'no answer' })).toMatchObject({ outcome: 'cancelled' });
    expect(await ledger.sessions.cancel({ ...ask, reason: 'no answer' })).toMatchObject({ outcome: 'none' });
    expect((await ledger.accounts.usage(tenant))!).toMatchObject({ balance: { reservedMs: 0 }, recent: [] });
    expect(await ledger.sessions.confirm(tenant, held)).toBe(false);
  });

  test('cancel() keeps a session that a parallel request with the same Idempotency-Key shares', async () => {
    const tenant = await createTenant(ledger, 60_000);
    const [one, two] = [request(tenant, { idempotencyKey: 'k' }), request(tenant, { idempotencyKey: 'k' })];
    const held = await provisional(ledger, one);
    await ledger.sessions.reserve(two);
    expect(await ledger.sessions.cancel({ ...one, reason: 'x' })).toMatchObject({ outcome: 'shared' });
    expect(await ledger.sessions.confirm(tenant, held)).toBe(true);
    // The second request knows only its own session id and the Idempotency-Key. Its cancellation ends the shared
    // session.
    expect(await ledger.sessions.cancel({ ...two, reason: 'x' })).toMatchObject({ outcome: 'cancelled' });
    expect(await balance(tenant)).toMatchObject({ reservedMs: 0 });
  });

  test('cancel() does not change an active session', async () => {
    const tenant = await createTenant(ledger, 60_000);
    const ask = request(tenant);
    const held = await provisional(ledger, ask);
    await ledger.sessions.confirm(tenant, held);
    await connect(tenant, ask.sessionId);
    expect(await ledger.sessions.cancel({ ...ask, reason: 'x' })).toMatchObject({ outcome: 'kept' });
    expect(await balance(tenant)).toMatchObject({ reservedMs: 60_000 });
  });

  test('cancel() with forAll removes a provisional session even if a parallel request with the same Idempotency-Key shares it', async () => {
    const tenant = await createTenant(ledger, 60_000);
    const [one, two] = [request(tenant, { idempotencyKey: 'k' }), request(tenant, { idempotencyKey: 'k' })];
    const held = await provisional(ledger, one);
    await ledger.sessions.reserve(two);
    const cancelled = await ledger.sessions.cancel({ ...two, reason: 'no capacity', forAll: true });
    expect(cancelled).toEqual({ outcome: 'cancelled', sessionId: one.sessionId });
    expect(await ledger.sessions.confirm(tenant, held)).toBe(false);
    expect(await balance(tenant)).toMatchObject({ reservedMs: 0 });
  });

  test.concurrent('confirm() fails for a provisional session whose account was closed', async () => {
    const tenant = await createTenant(hasty, 60_000);
    const ask = request(tenant);
    const held = await provisional(hasty, ask);
    await hasty.accounts.close(tenant);
    expect(await hasty.sessions.confirm(tenant, held)).toBe(false);
    await pause(HASTY.sessionTtlMs + 50);
    expect(await balance(tenant, hasty)).toEqual({
      grantedMs: 60_000,
      reservedMs: 0,
      consumedMs: 0,
      availableMs: 60_000,
    });
  });

  test.concurrent('connect() refuses an expired credential even if more sessions are overdue than one call can end', async () => {
    // The lifetimes are long enough to create all sessions before the first is overdue, even on a slow machine.
    const alone = await openLedger(redis.url, { sessionTtlMs: 4000, provisionalLeaseMs: 4000 });
    const tenant = await createTenant(alone, 6_000_000, { concurrentSessions: 1000 });
    const all = await Promise.all(Array.from({ length: 205 }, () => reserved(alone, tenant, { seconds: 1 })));
    const last = all.reduce((a, b) => (b.expiresAtMs > a.expiresAtMs ? b : a));
    await pause(last.expiresAtMs + 50 - Date.now());
    expect((await connect(tenant, last.sessionId, alone)).outcome).toBe('refused');
    await alone.link.close();
  });

  test('closing an account fails its sessions without a charge, and a closed account that is configured again keeps its grants', async () => {
    const tenant = await createTenant(ledger, 60_000, { concurrentSessions: 3 });
    const { sessionId } = await reserved(ledger, tenant, { seconds: 10 });
    await connect(tenant, sessionId);
    await reserved(ledger, tenant, { seconds: 10 });
    await ledger.accounts.close(tenant);
    expect(await ledger.accounts.read(tenant)).toMatchObject({ state: 'Deleted', reservedMs: 0, liveSessions: 0 });
    expect((await ledger.sessions.settle(tenant, sessionId, OWNER, 16_000, 'x')).outcome).toBe('already');
    expect((await ledger.sessions.reserve(request(tenant))).outcome).toBe('inactive');
    await ledger.accounts.configure(tenant, {
      displayName: 'again',
      state: 'Active',
      models: ['*'],
      limits: { concurrentSessions: 1, sessionsPerMinute: 60, requestsPerMinute: 60 },
    });
    expect(await ledger.accounts.grant(tenant, 'first', 60_000)).toEqual({ applied: false, amountMs: 60_000 });
    expect(await balance(tenant)).toMatchObject({ grantedMs: 60_000, availableMs: 60_000 });
  });

  test.concurrent('claim() on a pool that cannot grow succeeds only once per slot', async () => {
    const model = `m-${randomUUID()}`;
    expect(await ledger.pools.claim(model, 'before any worker', Date.now() + 1)).toBe(true);
    await pause(5);
    await ledger.workers.register(model, { id: 'w1', address: 'ws://w1', revision: 'r', slots: 2 });
    await ledger.pools.configure(model, { canGrow: false });
    expect(await ledger.pools.claim(model, 'a', Date.now() + 60_000)).toBe(true);
    expect(await ledger.pools.claim(model, 'b', Date.now() + 60_000)).toBe(true);
    expect(await ledger.pools.claim(model, 'c', Date.now() + 60_000)).toBe(false);
    expect(await ledger.pools.claim(model, 'b', Date.now() + 60_000)).toBe(true);
    await ledger.pools.release(model, 'b');
    expect(await ledger.pools.claim(model, 'c', Date.now() + 3000)).toBe(true);
    expect(await ledger.pools.claim(model, 'd', Date.now() + 60_000)).toBe(false);
    await pause(3050);
    expect(await ledger.pools.claim(model, 'd', Date.now() + 60_000)).toBe(true);
    await ledger.pools.configure(model, { canGrow: true });
    expect(await ledger.pools.claim(model, 'e', Date.now() + 60_000)).toBe(true);
  });

  test('claim() on a pool that can grow succeeds up to its capacity, and load() counts refused sessions that may retry', async () => {
    const model = `m-${randomUUID()}`;
    const claim = (session: string) => ledger.pools.claim(model, session, Date.now() + 60_000, 60_000);
    await ledger.workers.register(model, { id: 'w1', address: 'ws://w1', revision: 'r', slots: 1 });
    await ledger.pools.configure(model, { canGrow: true, capacity: 2 });
    expect([await claim('a'), await claim('b'), await claim('b'), await claim('c'), await claim('c')]).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
    expect(await ledger.pools.claim(model, 'does not retry', Date.now() + 60_000)).toBe(false);
    expect(await ledger.pools.load(model)).toMatchObject({ held: 2, refused: 1 });
    await ledger.pools.configure(model, { canGrow: true, capacity: 3 });
    expect(await claim('c')).toBe(true);
    expect(await ledger.pools.load(model)).toMatchObject({ held: 3, refused: 0 });
    await ledger.pools.configure(model, { canGrow: true });
    expect(await claim('d')).toBe(true);
  });

  test('place() returns the outcome "wait" for a queued stream, with the slots of the pool and whether the pool is growing', async () => {
    const model = `m-${randomUUID()}`;
    const place = () => ledger.pools.place(model, { sessionId: 's', tenant: 't' });
    expect(await place()).toEqual({ outcome: 'wait', slots: 0, growth: '' });
    await ledger.pools.configure(model, { canGrow: true, growth: 'provisioning' });
    expect(await place()).toEqual({ outcome: 'wait', slots: 0, growth: 'provisioning' });
    await ledger.pools.configure(model, { canGrow: true });
    expect(await place()).toEqual({ outcome: 'wait', slots: 0, growth: '' });
  });
});
