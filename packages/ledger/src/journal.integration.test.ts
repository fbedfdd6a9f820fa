import { randomUUID } from 'node:crypto';
import { createLedger } from './ledger.ts';
import type { Ledger } from './ledger.ts';
import { createRedisKeys } from './keys.ts';
import { replay } from './journal.ts';
import type { JournalEntry } from './types.ts';
import { createTenant, openLedger, request, reserved } from '../../../test/support/ledger.ts';
import { startRedis } from '../../../test/support/redis.ts';
import { startRedisCluster } from '../../../test/support/redis-cluster.ts';

const OWNER = { id: 'g', epoch: 1 };
const DAY_MS = 86_400_000;

describe.each([
  ['one Redis', startRedis],
  ['a Redis Cluster of three nodes', startRedisCluster],
])('the journal on %s', (_name, start) => {
  let redis: { url: string; stop: () => Promise<void> };
  let ledger: Ledger;
  const prefix = `test-${randomUUID()}`;
  const keys = createRedisKeys(prefix);

  beforeAll(async () => {
    redis = await start();
    ledger = await openLedger(redis.url, { prefix });
  });
  afterAll(async () => {
    await ledger.link.close();
    await redis.stop();
  });

  const runSession = async (of: Ledger, tenant: string) => {
    const { sessionId } = await reserved(of, tenant, { seconds: 5 });
    await of.sessions.connect({ tenant, sessionId, credentialHash: 'hash', owner: OWNER, connectionId: 'c' });
    await of.sessions.settle(tenant, sessionId, OWNER, 16_001, 'client closed');
    return sessionId;
  };
  const readAll = async (of: Ledger, tenant: string, count = 500): Promise<JournalEntry[]> => {
    const entries: JournalEntry[] = [];
    for (let after: string | undefined; ;) {
      const page = await of.journal.read(tenant, after === undefined ? { count } : { after, count });
      if (page.length === 0) return entries;
      entries.push(...page);
      after = page.at(-1)!.id;
    }
  };
  const expectBalanced = async (of: Ledger, tenant: string) => {
    const { grantedMs, reservedMs, consumedMs } = (await of.accounts.read(tenant))!;
    const totals = { granted: grantedMs, reserved: reservedMs, consumed: consumedMs };
    expect(replay(await readAll(of, tenant))).toEqual(totals);
  };

  test('the journal has one entry for the reservation of a session and one for its end, with reason, audio and model', async () => {
    const tenant = await createTenant(ledger, 60_000);
    const subject = await runSession(ledger, tenant);
    const entries = await ledger.journal.read(tenant);
    expect(entries.map(({ type }) => type)).toEqual(['grant', 'reserve', 'settle']);
    const end = { granted: 0, reserved: -5000, consumed: 2000, detail: 'client closed audio_ms=1001 model=kikuyu' };
    expect(entries[2]).toMatchObject({ subject, ...end });
  });

  test('a journal without an exporter keeps a limited number of entries, and the totals of the removed ones', async () => {
    const constants = { JOURNAL_ENTRIES_RETAINED: 200 };
    const small = createLedger(ledger.link, { prefix: `test-${randomUUID()}`, constants });
    const tenant = await createTenant(small, 6_000_000, { concurrentSessions: 1000 });
    for (let at = 0; at < 1000; at += 100) {
      await Promise.all(
        Array.from({ length: 100 }, async (_, n) => {
          const ask = request(tenant, { seconds: 1, idempotencyKey: `${at}-${n}` });
          await small.sessions.reserve(ask);
          await small.sessions.cancel({ ...ask, reason: 'test' });
        }),
      );
    }
    await reserved(small, tenant, { seconds: 9 });
    const entries = await readAll(small, tenant, 70);
    expect(entries[0]!.type).toBe('checkpoint');
    expect(entries.slice(1).map(({ type }) => type)).not.toContain('checkpoint');
    // The length may exceed the limit, because entries are removed in groups, and parallel clients add entries before
    // the next check.
    expect(entries.length).toBeGreaterThanOrEqual(200);
    expect(entries.length).toBeLessThan(500);
    await expectBalanced(small, tenant);
  });

  test('trim() without an exporter removes entries by age and keeps their totals', async () => {
    const tenant = await createTenant(ledger, 600_000);
    for (let at = 0; at < 5; at++) await runSession(ledger, tenant);
    expect(await ledger.journal.trim(tenant, undefined, DAY_MS)).toEqual({ left: 0, retained: 11 });
    expect(await ledger.journal.trim(tenant, undefined, -1000)).toEqual({ left: 11, retained: 0 });
    expect(await readAll(ledger, tenant)).toMatchObject([{ type: 'checkpoint', granted: 600_000, consumed: 10_000 }]);
    await runSession(ledger, tenant);
    expect((await readAll(ledger, tenant)).map(({ type }) => type)).toEqual(['checkpoint', 'reserve', 'settle']);
    await expectBalanced(ledger, tenant);
  });

  test('trim() with an exporter removes only acknowledged entries, and ignores an acknowledgement that is older than the last one', async () => {
    const tenant = await createTenant(ledger, 600_000);
    for (let at = 0; at < 5; at++) await runSession(ledger, tenant);
    const entries = await ledger.journal.read(tenant);
    expect(await ledger.journal.exported(tenant)).toBeUndefined();
    expect(await ledger.journal.trim(tenant, entries[3]!.id, DAY_MS)).toEqual({ left: 0, retained: 11 });
    expect(await ledger.journal.trim(tenant, entries[3]!.id, -1000)).toEqual({ left: 4, retained: 7 });
    expect(await ledger.journal.trim(tenant, entries[1]!.id, -1000)).toEqual({ left: 0, retained: 7 });
    expect(await ledger.journal.exported(tenant)).toBe(entries[3]!.id);
    expect(await ledger.journal.read(tenant, { after: entries[3]!.id })).toEqual(entries.slice(4));
    await expectBalanced(ledger, tenant);
  });

  test('a long journal of an earlier version keeps its entries until the operator first trims it', async () => {
    const constants = { JOURNAL_ENTRIES_RETAINED: 10, JOURNAL_BACKLOG_ENTRIES: 1000 };
    const small = createLedger(ledger.link, { prefix, constants });
    const tenant = await createTenant(small, 60_000_000);
    // Earlier versions wrote this field into an account with a long journal.
    await small.link.send(keys.account(tenant), ['HSET', keys.account(tenant), 'jn', '1999']);
    for (let at = 0; at < 80; at++) await runSession(small, tenant);
    const entries = await small.journal.read(tenant);
    expect(entries.map(({ type }) => type)).not.toContain('checkpoint');
    expect(entries).toHaveLength(161);
    // The first trim removes the field `jn`, which an earlier version wrote. Then the limit for journals without an
    // exporter applies, which is 10 entries here.
    await small.journal.trim(tenant, undefined, DAY_MS);
    await runSession(small, tenant);
    expect((await small.journal.read(tenant))[0]!.type).toBe('checkpoint');
    await expectBalanced(small, tenant);
  });

  test('a journal with an exporter keeps unexported entries until the backlog limit is reached', async () => {
    const constants = { JOURNAL_ENTRIES_RETAINED: 10, JOURNAL_BACKLOG_ENTRIES: 100 };
    const small = createLedger(ledger.link, { prefix: `test-${randomUUID()}`, constants });
    const tenant = await createTenant(small, 60_000_000);
    const [first] = await small.journal.read(tenant);
    await small.journal.trim(tenant, first!.id, 0);
    for (let at = 0; at < 80; at++) await runSession(small, tenant);
    expect((await small.journal.read(tenant, { after: first!.id }))[0]!.type).toBe('reserve');
    for (let at = 0; at < 40; at++) await runSession(small, tenant);
    // Unexported entries were removed. The reader gets their totals instead.
    const rest = await small.journal.read(tenant, { after: first!.id });
    expect(rest[0]!.type).toBe('checkpoint');
    expect(rest.length).toBeLessThan(205);
    await expectBalanced(small, tenant);
  });

  test('trim() sums up a journal of an earlier version, which also has entries for checkpoints and handshakes', async () => {
    const tenant = await createTenant(ledger, 10_000);
    const key = keys.journal(tenant);
    for (const line of ['connect s 0 0 0 gateway', 'checkpoint - 10000 0 0 ', 'grant g2 5000 0 0 asked=5000']) {
      await ledger.link.send(key, ['XADD', key, '*', 'e', line]);
    }
    await ledger.link.send(keys.account(tenant), ['HINCRBY', keys.account(tenant), 'granted', '5000']);
    expect(await ledger.journal.trim(tenant, undefined, -1000)).toEqual({ left: 4, retained: 0 });
    expect(await readAll(ledger, tenant)).toMatchObject([{ type: 'checkpoint', granted: 15_000 }]);
  });

  test('tenants() lists every tenant that ever had an account, until forget() removes it', async () => {
    const tenant = await createTenant(ledger, 0);
    expect(await ledger.journal.tenants()).toContain(tenant);
    await ledger.accounts.close(tenant);
    expect(await ledger.journal.tenants()).toContain(tenant);
    expect(await ledger.journal.trim('unknown', undefined, 0)).toBeUndefined();
    await ledger.journal.forget(tenant);
    expect(await ledger.journal.tenants()).not.toContain(tenant);
  });
});
