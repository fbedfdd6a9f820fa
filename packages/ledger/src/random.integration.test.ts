import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { createTenant, openLedger, request, TENANT } from '../../../test/support/ledger.ts';
import { startRedis } from '../../../test/support/redis.ts';
import { startRedisCluster } from '../../../test/support/redis-cluster.ts';
import { billableMs, SAMPLES_PER_MS } from '@svc-asr/core';
import { createRedisKeys } from './keys.ts';
import { replay } from './journal.ts';
import type { Ledger } from './ledger.ts';
import type { Reservation, ReserveRequest } from './reservation.ts';
import type { JournalEntry } from './types.ts';

/** A session that a client requested, and the reservation that it got. */
type Known = ReserveRequest & { reservation?: Reservation; chainId?: string };

/** One step of a client. The numbers choose a session, a duration or a key. */
type Step =
  | { do: 'reserve'; seconds: number; key: number; model: string }
  | { do: 'confirm' | 'cancel' | 'connect' | 'disconnect' | 'fail'; session: number }
  | { do: 'settle'; session: number; samples: number; stale: boolean; inParts: boolean }
  | { do: 'chain'; session: number; seconds: number; stale: boolean }
  | { do: 'grant'; id: number; seconds: number }
  | { do: 'budget'; seconds: number | undefined }
  | { do: 'month' | 'wait' | 'reap' | 'usage' | 'close' | 'open' };

const session = fc.nat(1000);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('reserve' as const),
      seconds: fc.integer({ min: 1, max: 9 }),
      key: fc.nat(6),
      model: fc.constantFrom('kikuyu', 'dholuo'),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('confirm' as const), session }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('connect' as const), session }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('settle' as const),
      session,
      samples: fc.nat(200_000),
      stale: fc.boolean(),
      inParts: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('chain' as const),
      session,
      seconds: fc.integer({ min: 1, max: 9 }),
      stale: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('cancel' as const, 'fail' as const, 'disconnect' as const),
      session,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('grant' as const),
      id: fc.nat(5),
      seconds: fc.integer({ min: -5, max: 20 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('wait' as const, 'reap' as const, 'usage' as const, 'close' as const, 'open' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('budget' as const),
      seconds: fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('month' as const) }) },
);

const MODEL_LIMIT = 2;
const LIMITS = {
  ...TENANT.limits,
  concurrentSessions: 4,
  models: [{ model: 'kikuyu', concurrentSessions: MODEL_LIMIT }],
};
const SETTINGS = { ...TENANT, limits: LIMITS };
const raise = (error: unknown) => {
  throw error;
};
const OWNER = { id: 'g', epoch: 1 };
const PREFIX = `random-${randomUUID()}`;
const CLIENTS = 4;

let redis: { url: string; stop: () => Promise<void> };
let clients: Ledger[];
/** Number of sessions that chains have created. */
let chained = 0;

describe.each([
  ['one Redis', () => startRedis()],
  ['a Redis Cluster of three nodes', () => startRedisCluster()],
])('random transitions on %s', (_name, start) => {
  beforeAll(async () => {
    chained = 0;
    redis = await start();
    const options = { prefix: PREFIX, sessionTtlMs: 120, provisionalLeaseMs: 60 };
    clients = await Promise.all(Array.from({ length: CLIENTS }, () => openLedger(redis.url, options)));
  });
  afterAll(async () => {
    for (const client of clients) await client.link.close();
    await redis.stop();
  });

  test('parallel clients with random steps never unbalance an account, and no session ends twice', async () => {
    let transitions = 0;
    const steps = fc.array(step, { minLength: 10, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: CLIENTS, maxLength: CLIENTS }), async (programs) => {
        // Clients of each account also try the sessions of the other account.
        const tenants = [0, 1].map(() => createTenant(clients[0]!, 20_000, { limits: LIMITS }));
        const [tenant, other] = (await Promise.all(tenants)) as [string, string];
        const sessions: Known[] = [];
        let running = true;
        const watching = Promise.all([tenant, other].map((each) => watch(each, () => running)));
        const drivers = programs.map((program, at) =>
          drive(clients[at]!, at % 2 === 0 ? tenant : other, program, sessions),
        );
        await Promise.all(drivers);
        running = false;
        expect(Math.min(...(await watching))).toBeGreaterThan(0);
        transitions += (await checkJournal(tenant)) + (await checkJournal(other));
      }),
      { numRuns: 60 },
    );
    expect(transitions).toBeGreaterThan(400);
    expect(chained).toBeGreaterThan(10);
  });
});

async function drive(ledger: Ledger, tenant: string, program: Step[], sessions: Known[]) {
  const { sessions: api } = ledger;
  for (const next of program) {
    const known = 'session' in next ? sessions[next.session % Math.max(1, sessions.length)] : undefined;
    switch (next.do) {
      case 'reserve': {
        const key = next.key === 0 ? undefined : `k${next.key}`;
        const ask = request(tenant, { seconds: next.seconds, idempotencyKey: key, model: next.model });
        const session: Known = { ...ask };
        sessions.push(session);
        const result = await api.reserve(ask);
        if (result.outcome === 'ok') session.reservation = result.reservation;
        break;
      }
      case 'confirm':
        if (known?.reservation) await api.confirm(tenant, known.reservation);
        break;
      case 'cancel':
        if (known) await api.cancel({ ...known, tenant, reason: 'random' });
        break;
      case 'connect':
        if (known) {
          const connection = { tenant, sessionId: known.sessionId, credentialHash: 'hash', connectionId: randomUUID() };
          await api.connect({ ...connection, owner: OWNER });
        }
        break;
      case 'disconnect':
        if (known) {
          const connection = { tenant, sessionId: known.sessionId, credentialHash: 'hash', connectionId: randomUUID() };
          // Both commands run in parallel, as if the answer to `connect` was lost. Whichever runs first, this
          // connection does not have the session afterwards.
          await Promise.all([
            api.connect({ ...connection, owner: OWNER }),
            api.disconnect(tenant, known.sessionId, connection.connectionId),
          ]);
        }
        break;
      case 'settle':
        if (known) {
          const owner = next.stale ? { ...OWNER, epoch: 2 } : OWNER;
          const parts = { ms: 2000, ids: Array.from({ length: 4 }, () => randomUUID()) };
          const options = next.inParts ? { parts } : {};
          const end = await api.settle(tenant, known.sessionId, owner, next.samples, 'random', options);
          if (end.outcome === 'ok') {
            expect(end.billableMs).toBe(Math.min(billableMs(next.samples), billableMs(end.audioMs * SAMPLES_PER_MS)));
          }
          if (next.stale) expect(end.outcome).not.toBe('ok');
        }
        break;
      case 'chain':
        if (known) await chain(ledger, tenant, known, next, sessions);
        break;
      case 'fail':
        if (known) await api.fail(tenant, known.sessionId, OWNER, 5, 'random');
        break;
      case 'grant':
        await ledger.accounts.grant(tenant, `g${next.id}`, next.seconds * 1000);
        break;
      case 'wait':
        await new Promise((resolve) => setTimeout(resolve, 40));
        break;
      case 'reap':
        await ledger.reap(raise);
        break;
      case 'close':
        await ledger.accounts.close(tenant);
        break;
      case 'open':
        await ledger.accounts.configure(tenant, SETTINGS);
        break;
      case 'budget': {
        const monthlyBudgetMs = next.seconds === undefined ? undefined : next.seconds * 1000;
        await ledger.accounts.configure(tenant, { ...SETTINGS, monthlyBudgetMs });
        break;
      }
      case 'month':
        await endMonth(ledger, tenant);
        break;
      case 'usage':
        await ledger.accounts.usage(tenant);
        break;
    }
  }
}

/**
 * Continues a session with a chained one. Connects the session first, because few of the random sessions are active.
 */
async function chain(
  { sessions: api }: Ledger,
  tenant: string,
  known: Known,
  { seconds, stale }: { seconds: number; stale: boolean },
  sessions: Known[],
): Promise<void> {
  const { sessionId, chainId = sessionId } = known;
  if (known.reservation) {
    await api.confirm(tenant, known.reservation);
    await api.connect({ tenant, sessionId, credentialHash: 'hash', connectionId: randomUUID(), owner: OWNER });
  }
  const part: Known = { ...request(tenant, { model: known.model }), chainId };
  const owner = stale ? { ...OWNER, epoch: 2 } : OWNER;
  const asked = { tenant, sessionId, owner, nextId: part.sessionId, seconds, chainId };
  // Both calls run in parallel, as when the answer to the first call was lost.
  const [first, second] = await Promise.all([api.chain(asked), api.chain(asked)]);
  if (stale) expect([first.outcome, second.outcome]).not.toContain('ok');
  if (first.outcome !== 'ok' && second.outcome !== 'ok') return;
  sessions.push(part);
  chained++;
}

/** Sets the month of the budget to a past one, so that the next call renews the budget. */
async function endMonth({ link }: Ledger, tenant: string): Promise<void> {
  const key = createRedisKeys(PREFIX).account(tenant);
  if ((await link.send(key, ['HEXISTS', key, 'bm'])) === 1) await link.send(key, ['HSET', key, 'bm', '2001-02']);
}

/** Reads balance and budget of an account atomically in a loop, and checks their sums. Returns the number of reads. */
async function watch(tenant: string, running: () => boolean): Promise<number> {
  const { link } = clients[CLIENTS - 1]!;
  const key = createRedisKeys(PREFIX).account(tenant);
  let reads = 0;
  for (; running(); reads++) {
    const [granted, reserved, consumed, left, used] = (
      (await link.send(key, ['HMGET', key, 'granted', 'reserved', 'consumed', 'bl', 'bu'])) as string[]
    ).map(Number) as [number, number, number, number, number];
    expect(Math.min(reserved, consumed, granted - reserved - consumed)).toBeGreaterThanOrEqual(0);
    const sessions = createRedisKeys(PREFIX).modelSessions(tenant, 'kikuyu');
    expect(Number(await link.send(sessions, ['ZCARD', sessions]))).toBeLessThanOrEqual(MODEL_LIMIT);
    // The remaining budget is never more than the credit that was not charged.
    expect(Math.min(left, used, granted - consumed - left)).toBeGreaterThanOrEqual(0);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return reads;
}

/** Checks that the journal adds up to the account, and that no session is reserved twice or ended twice. */
async function checkJournal(tenant: string): Promise<number> {
  const entries = await clients[0]!.journal.read(tenant, { count: 100_000 });
  const account = (await clients[0]!.accounts.read(tenant))!;
  const { grantedMs: granted, reservedMs: reserved, consumedMs: consumed } = account;
  expect(replay(entries)).toEqual({ granted, reserved, consumed });
  const byBudgets = entries.filter(({ type }) => type === 'budget').map((entry) => entry.granted);
  expect(byBudgets.reduce((sum, ms) => sum + ms, 0)).toBe(account.budget?.grantedMs ?? 0);
  const ends = new Map<string, JournalEntry[]>();
  for (const entry of entries.filter(({ type }) => ['cancel', 'settle', 'fail', 'expire'].includes(type))) {
    ends.set(entry.subject, [...(ends.get(entry.subject) ?? []), entry]);
  }
  expect([...ends.values()].filter((all) => all.length > 1)).toEqual([]);
  const reservations = entries.filter(({ type }) => type === 'reserve').map(({ subject }) => subject);
  expect(new Set(reservations).size).toBe(reservations.length);
  for (const subject of ends.keys()) expect(reservations).toContain(subject);
  const open = reservations.filter((subject) => !ends.has(subject));
  expect(account.liveSessions).toBe(open.length);
  const isLimited = ({ type, subject, detail }: JournalEntry) =>
    type === 'reserve' && detail === 'kikuyu' && open.includes(subject);
  const counted = createRedisKeys(PREFIX).modelSessions(tenant, 'kikuyu');
  const members = (await clients[0]!.link.send(counted, ['ZRANGE', counted, '0', '-1'])) as string[];
  expect(members.sort()).toEqual(
    entries
      .filter(isLimited)
      .map(({ subject }) => subject)
      .sort(),
  );
  return entries.length;
}
