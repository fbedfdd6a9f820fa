import type { Ledger } from './ledger.ts';
import { createTenant, openLedger, provisional, request } from '../../../test/support/ledger.ts';
import { LedgerUnavailable } from './redis/link.ts';
import { startRedis } from '../../../test/support/redis.ts';
import type { TestRedis } from '../../../test/support/redis.ts';

// These tests run no reaper. reserve.lua itself ends overdue sessions.

let redis: TestRedis;
/** Ledger whose provisional leases last 300 ms. */
let hasty: Ledger;
beforeAll(async () => {
  redis = await startRedis();
  hasty = await openLedger(redis.url, { sessionTtlMs: 700, provisionalLeaseMs: 300 });
});
afterAll(async () => {
  await hasty.link.close();
  await redis.stop();
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const TEN_S = { seconds: 10 };
/**
 * Creates a tenant with one session of 10 s and the Idempotency-Key `k`, and waits until the lease of the session has
 * expired.
 */
const overdue = async (creditMs: number, settings: Parameters<typeof createTenant>[2] = {}) => {
  const tenant = await createTenant(hasty, creditMs, settings);
  const { sessionId } = await provisional(hasty, request(tenant, { idempotencyKey: 'k', ...TEN_S }));
  await pause(350);
  return { tenant, sessionId };
};

test('reserve() does not count an overdue session against concurrency, credit and session rate', async () => {
  const limits = { concurrentSessions: 1, sessionsPerMinute: 1, requestsPerMinute: 60_000 };
  const { tenant } = await overdue(10_000, { limits });
  expect(await provisional(hasty, request(tenant, TEN_S))).toMatchObject({ reservedSeconds: 10 });
});

test('reserve() does not subtract the reservation of an overdue session from the remaining seconds that it returns', async () => {
  const { tenant } = await overdue(60_000);
  expect(await provisional(hasty, request(tenant, TEN_S))).toMatchObject({ remainingSeconds: 50 });
});

test.each([10, 20])(
  'reserve() creates a new session of %d s for the Idempotency-Key of an overdue session',
  async (seconds) => {
    const { tenant, sessionId } = await overdue(60_000);
    const again = await provisional(hasty, request(tenant, { idempotencyKey: 'k', seconds }));
    expect(again).toMatchObject({ provisional: true, reservedSeconds: seconds });
    expect(again.sessionId).not.toBe(sessionId);
  },
);

test('reserve() does not count overdue sessions as live, even if there are more of them than one call can end', async () => {
  const tenant = await createTenant(hasty, 600_000, { concurrentSessions: 250 });
  const second = { seconds: 1 };
  const all = () => Promise.all(Array.from({ length: 250 }, () => provisional(hasty, request(tenant, second))));
  await all();
  await pause(350);
  expect(await all()).toHaveLength(250);
});

test('reserve() fails with LedgerUnavailable and creates no session if Redis answers too slowly', async () => {
  // Each reading of the local clock is 10 s earlier than the previous reading. The ledger therefore always estimates a
  // time that is 10 s before the time of Redis, as if each command took 10 s.
  let localMs = 0;
  const slow = await openLedger(redis.url, { localNow: () => (localMs -= 10_000) });
  const tenant = await createTenant(slow, 60_000);
  await expect(slow.sessions.reserve(request(tenant, TEN_S))).rejects.toThrow(LedgerUnavailable);
  expect(await slow.accounts.read(tenant)).toMatchObject({ reservedMs: 0, liveSessions: 0 });
  await slow.link.close();
});
