import { randomUUID } from 'node:crypto';
import { createTenant, openLedger, request } from '../../../test/support/ledger.ts';
import { startRedis } from '../../../test/support/redis.ts';
import type { TestRedis } from '../../../test/support/redis.ts';
import { createRedisKeys } from './keys.ts';
import type { Ledger } from './ledger.ts';

const PREFIX = `test-${randomUUID()}`;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

let redis: TestRedis;
let ledger: Ledger;
beforeAll(async () => {
  redis = await startRedis();
  ledger = await openLedger(redis.url, { prefix: PREFIX });
});
afterAll(async () => {
  await ledger.link.close();
  await redis.stop();
});

test('rate limits allow the next request within one interval after the clock of Redis stepped back by an hour', async () => {
  const limits = { concurrentSessions: 9, sessionsPerMinute: 60, requestsPerMinute: 60 };
  const tenant = await createTenant(ledger, 600_000, { limits });
  const key = createRedisKeys(PREFIX).account(tenant);
  // This is the state of a used-up limit that was stored when the clock was an hour ahead.
  const ahead = String(Date.now() + 3_600_000 + 60_000);
  await ledger.link.send(key, ['HSET', key, 'rq', ahead, 'rs', ahead]);
  const refused = await ledger.admit(tenant);
  expect(refused).toMatchObject({ allowed: false, rate: { remaining: 0 } });
  expect(refused.retryAfterMs).toBeLessThanOrEqual(1001);
  const rate = await ledger.sessions.reserve(request(tenant));
  expect(rate).toMatchObject({ outcome: 'rate', rate: { remaining: 0 } });
  expect('retryAfterMs' in rate && rate.retryAfterMs).toBeLessThanOrEqual(1001);
  await pause(1100);
  expect((await ledger.admit(tenant)).allowed).toBe(true);
  expect((await ledger.sessions.reserve(request(tenant))).outcome).toBe('ok');
});
