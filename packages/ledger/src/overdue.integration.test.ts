import type { Ledger } from './ledger.ts';
import { createTenant, openLedger, provisional, request } from '../../../test/support/ledger.ts';
import { startRedis } from '../../../test/support/redis.ts';
import type { TestRedis } from '../../../test/support/redis.ts';

// reserve.lua ends overdue sessions itself, without the reaper.

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
/** Creates a tenant with one session of 10 s under the Idempotency-Key `k` whose lease has expired. */
const overdue = async (creditMs: number, settings: Parameters<typeof createTenant>[2] = {}) => {
  const tenant = await createTenant(hasty, creditMs, settings);
  const { sessionId } = await provisional(hasty, request(tenant, { idempotencyKey: 'k', ...TEN_S }));
  await pause(350);
  return { tenant, sessionId };
};

test('an overdue session does not count against concurrency, credit and session rate', async () => {
  const limits = { concurrentSessions: 1, sessionsPerMinute: 1, requestsPerMinute: 60_000 };
  const { tenant } = await overdue(10_000, { limits });
  expect(await provisional(hasty, request(tenant, TEN_S))).toMatchObject({ reservedSeconds: 10 });
});

test('an overdue session does not count in the remaining seconds', async () => {
  const { tenant } = await overdue(60_000);
  expect(await provisional(hasty, request(tenant, TEN_S))).toMatchObject({ remainingSeconds: 50 });
});

test.each([10, 20])('the Idempotency-Key of an overdue session creates a new session of %d s', async (seconds) => {
  const { tenant, sessionId } = await overdue(60_000);
  const again = await provisional(hasty, request(tenant, { idempotencyKey: 'k', seconds }));
  expect(again).toMatchObject({ provisional: true, reservedSeconds: seconds });
  expect(again.sessionId).not.toBe(sessionId);
});

test('overdue sessions do not count as live even if there are more of them than one call ends', async () => {
  const tenant = await createTenant(hasty, 600_000, { concurrentSessions: 250 });
  const second = { seconds: 1 };
  const all = () => Promise.all(Array.from({ length: 250 }, () => provisional(hasty, request(tenant, second))));
  await all();
  await pause(350);
  expect(await all()).toHaveLength(250);
});
