import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createTenant, openLedger, request, reserved, TENANT } from '../../../test/support/ledger.ts';
import { startRedis } from '../../../test/support/redis.ts';
import { startRedisCluster } from '../../../test/support/redis-cluster.ts';
import { openSteppedLedger } from '../../../test/support/stepped-clock.ts';
import { replay } from './journal.ts';
import { createRedisKeys } from './keys.ts';
import type { RedisKeys } from './keys.ts';
import type { Ledger } from './ledger.ts';
import type { TenantSettings } from './types.ts';

const OWNER = { id: 'gateway-1', epoch: 1 };
const samplesOf = (seconds: number) => seconds * 16_000;
/** A past month. If the stored budget of an account is for PAST_MONTH, the next call renews the budget. */
const PAST_MONTH = '2001-02';

describe.each([
  ['one Redis', startRedis],
  ['a Redis Cluster of three nodes', startRedisCluster],
])('tenant limits on %s', (_name, start) => {
  let redis: { url: string; stop: () => Promise<void> };
  let ledger: Ledger;
  let keys: RedisKeys;

  beforeAll(async () => {
    redis = await start();
    const prefix = `test-${randomUUID()}`;
    keys = createRedisKeys(prefix);
    // The lifetimes are so long that no session expires between two calls, however slow the machine is.
    ledger = await openLedger(redis.url, { prefix, sessionTtlMs: 600_000, provisionalLeaseMs: 300_000 });
  });
  afterAll(async () => {
    await ledger.link.close();
    await redis.stop();
  });

  const settings = (budgetSeconds: number | undefined, changes: Partial<TenantSettings> = {}): TenantSettings => ({
    ...TENANT,
    limits: { ...TENANT.limits, concurrentSessions: 5 },
    monthlyBudgetMs: budgetSeconds === undefined ? undefined : budgetSeconds * 1000,
    ...changes,
  });
  /** Creates a tenant with a monthly budget and other credit, both in seconds. */
  const createWithBudget = (budgetSeconds: number, creditSeconds = 0) =>
    createTenant(ledger, creditSeconds * 1000, settings(budgetSeconds));
  const setField = (tenant: string, field: string, value: string | number) =>
    ledger.link.send(keys.account(tenant), ['HSET', keys.account(tenant), field, String(value)]);
  const endMonth = (tenant: string) => setField(tenant, 'bm', PAST_MONTH);
  const open = async (tenant: string, seconds: number, model = 'kikuyu') => {
    const { sessionId } = await reserved(ledger, tenant, { seconds, model });
    const connectionId = randomUUID();
    await ledger.sessions.connect({ tenant, sessionId, credentialHash: 'hash', owner: OWNER, connectionId });
    return sessionId;
  };
  const settle = (tenant: string, id: string, seconds: number) =>
    ledger.sessions.settle(tenant, id, OWNER, samplesOf(seconds), 'test');
  const use = async (tenant: string, seconds: number) => settle(tenant, await open(tenant, seconds), seconds);

  /**
   * Returns the available seconds of the account and the remaining seconds of its budget. Checks the account against
   * its journal.
   */
  const read = async (tenant: string) => {
    const { balance, budget } = (await ledger.accounts.usage(tenant))!;
    const account = (await ledger.accounts.read(tenant))!;
    const entries = await ledger.journal.read(tenant, { count: 10_000 });
    const { grantedMs: granted, reservedMs, consumedMs: consumed } = account;
    expect(replay(entries)).toEqual({ granted, reserved: reservedMs, consumed });
    expect(Math.min(balance.availableMs, account.budget?.remainingMs ?? 0)).toBeGreaterThanOrEqual(0);
    const byBudgets = entries.filter(({ type }) => type === 'budget' || type === 'restore');
    expect(byBudgets.reduce((sum, entry) => sum + entry.granted, 0)).toBe(account.budget?.grantedMs ?? 0);
    return [balance.availableMs / 1000, (budget?.remainingMs ?? 0) / 1000];
  };

  describe('the monthly budget', () => {
    test('of a new tenant is granted in full for the current month', async () => {
      const tenant = await createWithBudget(100);
      expect(await read(tenant)).toEqual([100, 100]);
      const month = new Date().toISOString().slice(0, 7);
      const account = (await ledger.accounts.read(tenant))!;
      // The month may end during this test.
      expect(account.budget!.month >= month).toBe(true);
      expect(new Date(account.budget!.renewsAtMs).toISOString()).toMatch(/^\d{4}-\d{2}-01T00:00:00.000Z$/);
      expect(account.budget).toMatchObject({ monthlyMs: 100_000, usedMs: 0, grantedMs: 100_000 });
    });

    test('is granted only once in a month, even if several clients renew it in parallel', async () => {
      const tenant = await createWithBudget(100);
      await use(tenant, 30);
      await endMonth(tenant);
      const calls = Array.from({ length: 8 }, (_, at) =>
        at % 2 === 0 ? ledger.accounts.usage(tenant) : ledger.accounts.configure(tenant, settings(100)),
      );
      await Promise.all(calls);
      expect(await read(tenant)).toEqual([100, 100]);
      const entries = await ledger.journal.read(tenant);
      expect(entries.filter(({ type }) => type === 'budget').map(({ granted }) => granted)).toEqual([100_000, 30_000]);
    });

    test('is renewed by reserve(), without the operator', async () => {
      const tenant = await createWithBudget(60);
      await use(tenant, 60);
      expect(await ledger.sessions.reserve(request(tenant))).toMatchObject({ outcome: 'credit' });
      await endMonth(tenant);
      expect(await reserved(ledger, tenant, { seconds: 45 })).toMatchObject({
        reservedSeconds: 45,
        remainingSeconds: 15,
      });
    });

    test('is charged before other credit, which does not expire', async () => {
      const tenant = await createWithBudget(100, 50);
      await use(tenant, 80);
      expect(await read(tenant)).toEqual([70, 20]);
      await endMonth(tenant);
      expect(await read(tenant)).toEqual([150, 100]);
      await use(tenant, 120);
      expect(await read(tenant)).toEqual([30, 0]);
      await endMonth(tenant);
      expect(await read(tenant)).toEqual([130, 100]);
    });

    test('does not pay for sessions after it is used up, and later charges use other credit', async () => {
      const tenant = await createWithBudget(10, 50);
      await use(tenant, 10);
      expect(await read(tenant)).toEqual([50, 0]);
      expect(await use(tenant, 20)).toMatchObject({ outcome: 'ok', billableMs: 20_000 });
      expect(await read(tenant)).toEqual([30, 0]);
      expect(await ledger.accounts.read(tenant)).toMatchObject({ reservedMs: 0, liveSessions: 0 });
    });

    test('is charged for a session in the month in which the session ends', async () => {
      const tenant = await createWithBudget(100);
      const id = await open(tenant, 60);
      await endMonth(tenant);
      expect(await settle(tenant, id, 10)).toMatchObject({ outcome: 'ok', billableMs: 10_000 });
      expect(await read(tenant)).toEqual([90, 90]);
    });

    test('pays for a session during which the budget is removed, but the unused part of its reservation is lost', async () => {
      const tenant = await createWithBudget(100);
      const id = await open(tenant, 60);
      await ledger.accounts.configure(tenant, settings(undefined));
      expect(await read(tenant)).toEqual([0, 0]);
      expect((await ledger.accounts.read(tenant))!.reservedMs).toBe(60_000);
      expect(await settle(tenant, id, 10)).toMatchObject({ outcome: 'ok', billableMs: 10_000 });
      expect(await ledger.sessions.reserve(request(tenant))).toEqual({ outcome: 'credit' });
      expect(await read(tenant)).toEqual([0, 0]);
      expect((await ledger.accounts.read(tenant))!.grantedMs).toBe(10_000);
    });

    test.each([
      ['raised', 150, [120, 70]],
      ['lowered', 90, [60, 10]],
      ['lowered below its use', 20, [50, 0]],
      ['removed', undefined, [50, 0]],
    ])(
      'that is %s in mid-month becomes the new amount minus the used part, but never negative',
      async (_change, seconds, expected) => {
        const tenant = await createWithBudget(100, 50);
        await use(tenant, 80);
        await ledger.accounts.configure(tenant, settings(seconds));
        expect(await read(tenant)).toEqual(expected);
        // Removing and adding a budget, or deleting and recreating the Tenant, does not grant a second budget in the
        // same month.
        await ledger.accounts.close(tenant);
        await ledger.accounts.configure(tenant, settings(100));
        expect(await read(tenant)).toEqual([70, 20]);
      },
    );

    test('is renewed while the tenant is suspended, but not after the tenant was deleted', async () => {
      const tenant = await createWithBudget(100);
      await use(tenant, 40);
      await ledger.accounts.configure(tenant, settings(100, { state: 'Suspended' }));
      await endMonth(tenant);
      expect(await read(tenant)).toEqual([100, 100]);
      await ledger.accounts.close(tenant);
      await setField(tenant, 'bu', 30_000);
      await endMonth(tenant);
      await ledger.accounts.usage(tenant);
      expect((await ledger.accounts.read(tenant))!.budget!.month).toBe(PAST_MONTH);
    });

    test('is not reduced by a negative grant', async () => {
      const tenant = await createWithBudget(100, 50);
      expect(await ledger.accounts.grant(tenant, 'oops', -80_000)).toEqual({ applied: true, amountMs: -50_000 });
      expect(await read(tenant)).toEqual([100, 100]);
    });

    test('adds the time of the next renewal of the budget to a refusal after the credit is used up', async () => {
      const tenant = await createWithBudget(1);
      await use(tenant, 1);
      const { renewsAtMs } = (await ledger.accounts.read(tenant))!.budget!;
      expect(await ledger.sessions.reserve(request(tenant))).toEqual({ outcome: 'credit', renewsAtMs });
    });

    test('is also reduced by charges of gateways of an earlier version, which do not know budgets', async () => {
      const tenant = await createWithBudget(100);
      const id = await open(tenant, 60);
      await settle(tenant, id, 0);
      await ledger.link.send(keys.account(tenant), ['HINCRBY', keys.account(tenant), 'consumed', '25000']);
      const { budget, balance } = (await ledger.accounts.usage(tenant))!;
      expect([budget!.remainingMs, balance.availableMs]).toEqual([75_000, 75_000]);
      await endMonth(tenant);
      expect((await ledger.accounts.usage(tenant))!.budget!.remainingMs).toBe(100_000);
    });

    test('is restored, with the consumption of all months, after the account was lost', async () => {
      const tenant = await createWithBudget(100, 50);
      for (let month = 0; month < 3; month++) {
        await use(tenant, 90);
        await endMonth(tenant);
        await ledger.accounts.usage(tenant);
      }
      await use(tenant, 115);
      expect(await read(tenant)).toEqual([35, 0]);
      const { consumedMs, budget } = (await ledger.accounts.read(tenant))!;
      for (const part of ['a', 'g', 'j', 'live', 'recent']) {
        const key = keys.account(tenant).replace(/a$/, part);
        await ledger.link.send(key, ['DEL', key]);
      }
      await ledger.accounts.configure(tenant, settings(100));
      await ledger.accounts.grant(tenant, 'first', 50_000);
      const restored = await ledger.accounts.restore(tenant, 'lost', consumedMs, budget);
      expect(restored).toEqual({ added: true, consumedMs: 385_000 });
      expect(await ledger.accounts.restore(tenant, 'lost', consumedMs, budget)).toMatchObject({ added: false });
      expect(await read(tenant)).toEqual([35, 0]);
      await endMonth(tenant);
      expect(await read(tenant)).toEqual([135, 100]);
    });
  });

  describe('the session limit of a model', () => {
    /** Returns settings with a limit of 5 concurrent sessions, of which `limit` may be of the model kikuyu. */
    const limited = (limit: number | undefined, changes: Partial<TenantSettings> = {}): TenantSettings => {
      const models = limit === undefined ? [] : [{ model: 'kikuyu', concurrentSessions: limit }];
      return { ...TENANT, limits: { ...TENANT.limits, concurrentSessions: 5, models }, ...changes };
    };
    const createLimited = (limit: number | undefined) => createTenant(ledger, 600_000, limited(limit));
    const ask = async (tenant: string, model: string) =>
      (await ledger.sessions.reserve(request(tenant, { model, seconds: 10 }))).outcome;
    const entries = async (tenant: string) => {
      const key = keys.modelSessions(tenant, 'kikuyu');
      return (await ledger.link.send(key, ['ZRANGE', key, '0', '-1'])) as string[];
    };

    test('refuses a session of this model above the limit, but no session of other models', async () => {
      const tenant = await createLimited(2);
      expect([await ask(tenant, 'kikuyu'), await ask(tenant, 'kikuyu')]).toEqual(['ok', 'ok']);
      const refused = await ledger.sessions.reserve(request(tenant, { model: 'kikuyu' }));
      expect(refused).toMatchObject({ outcome: 'model_concurrency', limit: 2, live: 2, retryAfterMs: 5000 });
      for (let at = 0; at < 3; at++) expect(await ask(tenant, 'dholuo')).toBe('ok');
      // The limit of the tenant is checked first.
      for (const model of ['kikuyu', 'dholuo']) {
        const full = await ledger.sessions.reserve(request(tenant, { model }));
        expect(full).toMatchObject({ outcome: 'concurrency', limit: 5, live: 5 });
      }
      expect((await ledger.accounts.read(tenant))!.limits.models).toEqual([{ model: 'kikuyu', concurrentSessions: 2 }]);
    });

    test('is not exceeded by parallel requests', async () => {
      const tenant = await createLimited(3);
      const outcomes = await Promise.all(Array.from({ length: 5 }, () => ask(tenant, 'kikuyu')));
      expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(3);
      expect(outcomes.filter((outcome) => outcome === 'model_concurrency')).toHaveLength(2);
    });

    test.each(['settled', 'failed', 'cancelled', 'disconnected and failed', 'closed with its account'])(
      'allows another session after a session of the model is %s',
      async (end) => {
        const tenant = await createLimited(1);
        const asked = request(tenant, { model: 'kikuyu', seconds: 10 });
        expect((await ledger.sessions.reserve(asked)).outcome).toBe('ok');
        expect(await ask(tenant, 'kikuyu')).toBe('model_concurrency');
        const { sessionId } = asked;
        const connectionId = randomUUID();
        if (end !== 'cancelled') {
          await ledger.sessions.confirm(tenant, { sessionId });
          await ledger.sessions.connect({ tenant, sessionId, credentialHash: 'hash', owner: OWNER, connectionId });
        }
        if (end === 'settled') await settle(tenant, sessionId, 1);
        if (end === 'failed') await ledger.sessions.fail(tenant, sessionId, OWNER, 0, 'test');
        if (end === 'cancelled') await ledger.sessions.cancel({ ...asked, reason: 'test' });
        if (end === 'disconnected and failed') {
          await ledger.sessions.disconnect(tenant, sessionId, connectionId);
          await ledger.sessions.fail(tenant, sessionId, undefined, 0, 'test');
        }
        if (end === 'closed with its account') {
          await ledger.accounts.close(tenant);
          await ledger.accounts.configure(tenant, limited(1));
        }
        expect(await entries(tenant)).toEqual([]);
        expect(await ask(tenant, 'kikuyu')).toBe('ok');
      },
    );

    test('that is lowered below the number of live sessions refuses new sessions until enough live sessions have ended', async () => {
      const tenant = await createLimited(3);
      const ids = [await open(tenant, 10), await open(tenant, 10), await open(tenant, 10)];
      await ledger.accounts.configure(tenant, limited(2));
      for (const id of ids.slice(0, 2)) {
        expect(await ask(tenant, 'kikuyu')).toBe('model_concurrency');
        expect(await settle(tenant, id, 1)).toMatchObject({ outcome: 'ok' });
      }
      expect(await ask(tenant, 'kikuyu')).toBe('ok');
    });

    test('counts sessions that were reserved before the limit was added', async () => {
      const tenant = await createLimited(undefined);
      const id = await open(tenant, 10);
      expect(await entries(tenant)).toEqual([]);
      await ledger.accounts.configure(tenant, limited(1));
      expect(await ask(tenant, 'kikuyu')).toBe('model_concurrency');
      await settle(tenant, id, 1);
      expect(await ask(tenant, 'kikuyu')).toBe('ok');
    });

    test('does not apply after it was removed, and counts earlier sessions when it is added again', async () => {
      const tenant = await createLimited(1);
      await open(tenant, 10);
      await ledger.accounts.configure(tenant, limited(undefined));
      expect(await ask(tenant, 'kikuyu')).toBe('ok');
      await ledger.accounts.configure(tenant, limited(2));
      expect(await ask(tenant, 'kikuyu')).toBe('model_concurrency');
    });

    test('does not count overdue entries of ended sessions, which an earlier version left behind', async () => {
      const tenant = await createLimited(2);
      const id = await open(tenant, 10);
      const key = keys.modelSessions(tenant, 'kikuyu');
      // Both entries are overdue, but the session `id` is live. Only the entry `ended` may be removed.
      await ledger.link.send(key, ['ZADD', key, '1000', 'ended', '1000', id]);
      expect(await ask(tenant, 'kikuyu')).toBe('ok');
      expect(await ask(tenant, 'kikuyu')).toBe('model_concurrency');
      expect(await entries(tenant)).not.toContain('ended');
    });
  });
});

describe('tenant limits over time:', () => {
  let redis: Awaited<ReturnType<typeof startRedis>>;
  beforeAll(async () => (redis = await startRedis()));
  afterAll(() => redis.stop());

  test('month_of() returns the UTC month just before and at the start of each month of 500 years', async () => {
    const ledger = await openLedger(redis.url);
    const include = readFileSync(new URL('../scripts/include/budget.lua', import.meta.url), 'utf8');
    const source = `${include}\nlocal months = {}\nfor i, ms in ipairs(ARGV) do months[i] = month_of(tonumber(ms)) end\nreturn months`;
    const script = { name: 'months', source, sha1: createHash('sha1').update(source).digest('hex') };
    const starts = Array.from({ length: 6000 }, (_, month) => Date.UTC(1970, month + 1, 1));
    const times = starts.flatMap((ms) => [ms - 1, ms]);
    const expected = times.map((ms) => new Date(ms).toISOString().slice(0, 7));
    expect(await ledger.link.run(script, 'k', times)).toEqual(expected);
    await ledger.link.close();
  });

  test('the session limit of a model allows another session after a reserved session of the model expires', async () => {
    const ledger = await openSteppedLedger(redis.url, { prefix: `test-${randomUUID()}` });
    const models = [{ model: 'kikuyu', concurrentSessions: 1 }];
    const limits = { ...TENANT.limits, concurrentSessions: 2, models };
    const tenant = await createTenant(ledger, 600_000, { limits });
    await reserved(ledger, tenant);
    expect(await ledger.sessions.reserve(request(tenant))).toMatchObject({ outcome: 'model_concurrency' });
    await ledger.step(61_000);
    expect(await ledger.sessions.reserve(request(tenant))).toMatchObject({ outcome: 'ok' });
    await ledger.step(61_000);
    await ledger.reap((error) => {
      throw error;
    });
    expect(await ledger.sessions.reserve(request(tenant))).toMatchObject({ outcome: 'ok' });
    await ledger.link.close();
  });

  test('the month of a budget changes at midnight UTC by the clock of Redis, and never goes back', async () => {
    const ledger = await openSteppedLedger(redis.url, { prefix: `test-${randomUUID()}` });
    const tenant = await createTenant(ledger, 0, { monthlyBudgetMs: 100_000 });
    const id = (await reserved(ledger, tenant, { seconds: 60 })).sessionId;
    const monthOf = async () => (await ledger.accounts.usage(tenant))!.budget!;
    const dayMs = 86_400_000;
    const { renewsAtMs, month } = await monthOf();
    await ledger.sessions.fail(tenant, id, undefined, 0, 'test');
    // Sets the clock of the ledger to about an hour before the end of the month.
    await ledger.step(renewsAtMs - 3_600_000 - Date.now());
    expect((await monthOf()).month).toBe(month);
    await ledger.step(3_600_000);
    const next = await monthOf();
    expect(next.month).toBe(new Date(renewsAtMs).toISOString().slice(0, 7));
    const entries = (await ledger.journal.read(tenant)).length;
    await ledger.step(-2 * dayMs);
    expect(await monthOf()).toEqual(next);
    await ledger.step(2 * dayMs);
    expect(await monthOf()).toEqual(next);
    expect(await ledger.journal.read(tenant)).toHaveLength(entries);
    await ledger.link.close();
  });
});
