import type { Ledger } from './ledger.ts';
import { makeTenant, openLedger, provisional, request } from '../../../test/support/ledger.ts';
import { startRedis } from '../../../test/support/redis.ts';
import type { TestRedis } from '../../../test/support/redis.ts';

// A reserve first ends what is overdue, without anybody else.

let redis: TestRedis;
/** With a lease of 300 ms. */
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
/** A tenant with one session of 10 s under the key `k` whose lease is over. */
const overdue = async (creditMs: number, settings: Parameters<typeof makeTenant>[2] = {}) => {
  const tenant = await makeTenant(hasty, creditMs, settings);
  const { sessionId } = await provisional(hasty, request(tenant, { idempotencyKey: 'k', ...TEN_S }));
  await pause(350);
  return { tenant, sessionId };
};

test('it takes no place, no credit and no turn', async () => {
  const limits = { concurrentSessions: 1, sessionsPerMinute: 1, requestsPerMinute: 60_000 };
  const { tenant } = await overdue(10_000, { limits });
  expect(await provisional(hasty, request(tenant, TEN_S))).toMatchObject({ reservedSeconds: 10 });
});

test('it is not counted in what remains', async () => {
  const { tenant } = await overdue(60_000);
  expect(await provisional(hasty, request(tenant, TEN_S))).toMatchObject({ remainingSeconds: 50 });
});

test.each([10, 20])('its key makes a new session, of %d s', async (seconds) => {
  const { tenant, sessionId } = await overdue(60_000);
  const again = await provisional(hasty, request(tenant, { idempotencyKey: 'k', seconds }));
  expect(again).toMatchObject({ provisional: true, reservedSeconds: seconds });
  expect(again.sessionId).not.toBe(sessionId);
});

test('more than are ended at once take no place either', async () => {
  const tenant = await makeTenant(hasty, 600_000, { concurrentSessions: 250 });
  const second = { seconds: 1 };
  const all = () => Promise.all(Array.from({ length: 250 }, () => provisional(hasty, request(tenant, second))));
  await all();
  await pause(350);
  expect(await all()).toHaveLength(250);
});
