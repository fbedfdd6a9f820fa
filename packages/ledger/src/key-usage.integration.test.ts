import { randomUUID } from 'node:crypto';
import { createTenant, openLedger, reserved } from '../../../test/support/ledger.ts';
import { startRedis } from '../../../test/support/redis.ts';
import { startRedisCluster } from '../../../test/support/redis-cluster.ts';
import { createRedisKeys } from './keys.ts';
import type { Ledger } from './ledger.ts';
import type { Owner } from './sessions.ts';

const OWNER: Owner = { id: 'gateway-1', epoch: 1 };
const [FIRST, SECOND] = ['AAAAAAAAAA', 'BBBBBBBBBB'];
const DAY_MS = 86_400_000;
const FIELDS = 1000;

describe.each([
  ['one Redis', startRedis],
  ['a Redis Cluster of three nodes', startRedisCluster],
])('usage by key on %s', (_name, start) => {
  let redis: { url: string; stop: () => Promise<void> };
  let ledger: Ledger;
  const prefix = `usage-${randomUUID()}`;
  const keys = createRedisKeys(prefix);
  beforeAll(async () => {
    redis = await start();
    ledger = await openLedger(redis.url, { prefix });
  });
  afterAll(async () => {
    await ledger.link.close();
    await redis.stop();
  });

  /** Creates and settles a session with one second and a sample of audio. */
  async function complete(tenant: string, keyId: string | null | undefined, model = 'kikuyu'): Promise<void> {
    const origin = keyId === undefined ? {} : { origin: { keyId, requestId: randomUUID() } };
    const { sessionId } = await reserved(ledger, tenant, { seconds: 5, model, ...origin });
    const connection = { tenant, sessionId, credentialHash: 'hash', connectionId: randomUUID(), owner: OWNER };
    await ledger.sessions.connect(connection);
    await ledger.sessions.settle(tenant, sessionId, OWNER, 16_001, 'closed');
  }

  const date = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10);
  const today = () => Math.floor(Date.now() / DAY_MS);
  /** Returns the usage from yesterday to tomorrow, so that midnight may pass during a test. */
  const read = (tenant: string) => ledger.accounts.usageByKey(tenant, date(today() - 1), date(today() + 1));
  const settled = (sessions: number) => ({ sessions, audioMs: sessions * 1001, billableMs: sessions * 2000 });

  test('usageByKey has a row for each model and key, and separate rows for the playground and for sessions without a recorded key', async () => {
    const tenant = await createTenant(ledger, 600_000);
    for (const keyId of [SECOND, FIRST, FIRST, null, undefined]) await complete(tenant, keyId);
    await complete(tenant, FIRST, 'luo');
    const rows = await read(tenant);
    expect(rows).toMatchObject([
      { model: 'kikuyu', keyId: null, source: 'playground', ...settled(1) },
      { model: 'kikuyu', keyId: FIRST, source: 'api', ...settled(2) },
      { model: 'kikuyu', keyId: SECOND, source: 'api', ...settled(1) },
      { model: 'kikuyu', keyId: null, source: 'api', ...settled(1) },
      { model: 'luo', keyId: FIRST, source: 'api', ...settled(1) },
    ]);
    const total = await ledger.accounts.dailyUsage(tenant, 2);
    const sum = (list: readonly { billableMs: number }[]) => list.reduce((all, { billableMs }) => all + billableMs, 0);
    expect(sum(rows)).toBe(sum(total));
  });

  test('usageByKey counts every session of a chain for the key of the first session', async () => {
    const tenant = await createTenant(ledger, 600_000);
    const origin = { keyId: FIRST, requestId: randomUUID() };
    const { sessionId } = await reserved(ledger, tenant, { seconds: 5, origin });
    await ledger.sessions.connect({ tenant, sessionId, credentialHash: 'hash', connectionId: 'c', owner: OWNER });
    const nextId = randomUUID();
    await ledger.sessions.chain({ tenant, sessionId, owner: OWNER, nextId, seconds: 5, chainId: sessionId });
    await ledger.sessions.settle(tenant, nextId, OWNER, 16_000, 'closed');
    expect(await read(tenant)).toMatchObject([{ keyId: FIRST, sessions: 2, audioMs: 6000, billableMs: 6000 }]);
  });

  test('usageByKey returns only the days of the requested range, newest first, even if several hashes store them', async () => {
    const tenant = await createTenant(ledger, 600_000);
    const last = Math.floor(today() / 8) * 8 + 1;
    for (const day of [last - 3, last - 2, last]) {
      const [total, byKey] = [keys.usage(tenant, Math.floor(day / 32)), keys.keyUsage(tenant, Math.floor(day / 8))];
      await ledger.link.send(total, ['HSET', total, `${day}|kikuyu`, '2 10 1000']);
      await ledger.link.send(byKey, ['HSET', byKey, `${day % 8}|${FIRST}|kikuyu`, '2 10 1000']);
    }
    const days = async (from: number, to: number) => {
      return (await ledger.accounts.usageByKey(tenant, date(from), date(to))).map(({ day, keyId }) => [day, keyId]);
    };
    expect(await days(last - 3, last)).toEqual([last, last - 2, last - 3].map((day) => [date(day), FIRST]));
    expect(await days(last - 2, last - 1)).toEqual([[date(last - 2), FIRST]]);
    expect(await days(last, last - 1)).toEqual([]);
  });

  test('a hash of usage by key has at most 1,000 fields, and sessions of further keys are in the row without a key', async () => {
    const tenant = await createTenant(ledger, 600_000);
    await complete(tenant, FIRST);
    const period = keys.keyUsage(tenant, Math.floor(today() / 8));
    const others = Array.from({ length: FIELDS - 2 }, (_, at) => [`9|${at}|kikuyu`, '1 1 1']).flat();
    await ledger.link.send(period, ['HSET', period, ...others]);
    await complete(tenant, SECOND);
    await complete(tenant, 'CCCCCCCCCC');
    await complete(tenant, FIRST);
    expect(Number(await ledger.link.send(period, ['HLEN', period]))).toBe(FIELDS);
    expect(await read(tenant)).toMatchObject([
      { keyId: FIRST, ...settled(2) },
      { keyId: SECOND, ...settled(1) },
      { keyId: null, source: 'api', ...settled(1) },
    ]);
  });

  test('usage by key expires after more than 400 days, and at most 90 days after its tenant was deleted, unless the tenant is created again', async () => {
    const tenant = await createTenant(ledger, 600_000);
    await complete(tenant, FIRST);
    const period = keys.keyUsage(tenant, Math.floor(today() / 8));
    const keptMs = async () => Number(await ledger.link.send(period, ['PTTL', period]));
    expect(await keptMs()).toBeGreaterThan(400 * DAY_MS);
    await ledger.accounts.close(tenant);
    expect(await keptMs()).toBeLessThanOrEqual(90 * DAY_MS);
    expect(await keptMs()).toBeGreaterThan(0);
    await ledger.accounts.configure(tenant, {
      displayName: 'again',
      state: 'Active',
      models: ['*'],
      limits: { concurrentSessions: 1, sessionsPerMinute: 60, requestsPerMinute: 60 },
    });
    expect(await keptMs()).toBeGreaterThan(400 * DAY_MS);
  });
});
