import { randomUUID } from 'node:crypto';
import { eventually } from '../../../test/support/eventually.ts';
import { createTenant, openLedger, reserved, request } from '../../../test/support/ledger.ts';
import { startRedis } from '../../../test/support/redis.ts';
import type { TestRedis } from '../../../test/support/redis.ts';
import { replay } from './journal.ts';
import { createRedisKeys } from './keys.ts';
import type { Ledger } from './ledger.ts';

// The record of a session may be missing because an administrator deleted its key, or because Redis evicted it.

const PREFIX = `test-${randomUUID()}`;
const keys = createRedisKeys(PREFIX);
const TTL_MS = 3000;
const raise = (error: unknown) => {
  throw error;
};

let redis: TestRedis;
let ledger: Ledger;
beforeAll(async () => {
  redis = await startRedis();
  ledger = await openLedger(redis.url, { prefix: PREFIX, sessionTtlMs: TTL_MS, provisionalLeaseMs: TTL_MS });
});
afterAll(async () => {
  await ledger.link.close();
  await redis.stop();
});

/** Creates a tenant with two overdue sessions. The record of the first one is missing. */
async function withMissingRecord(): Promise<string> {
  const tenant = await createTenant(ledger, 60_000, { concurrentSessions: 2 });
  const { sessionId } = await reserved(ledger, tenant, { seconds: 20 });
  await reserved(ledger, tenant, { seconds: 30 });
  const key = keys.session(tenant, sessionId);
  await ledger.link.send(key, ['DEL', key]);
  await new Promise((resolve) => setTimeout(resolve, TTL_MS + 100));
  return tenant;
}

async function expectReleased(tenant: string): Promise<void> {
  const account = await ledger.accounts.read(tenant);
  expect(account).toMatchObject({ reservedMs: 0, consumedMs: 0, availableMs: 60_000, liveSessions: 0 });
  const { grantedMs: granted, reservedMs, consumedMs: consumed } = account!;
  expect(replay(await ledger.journal.read(tenant))).toEqual({ granted, reserved: reservedMs, consumed });
}

describe('a session whose record is missing', () => {
  test('ends when the reaper checks its tenant, and its credit is released', async () => {
    const tenant = await withMissingRecord();
    // The reaper also ends sessions of the other tests.
    await eventually('the sessions of the tenant have ended', 30_000, async () => {
      await ledger.reap(raise);
      return (await ledger.accounts.read(tenant))?.liveSessions === 0;
    });
    await expectReleased(tenant);
  });

  test.concurrent('does not prevent its tenant from reading the usage', async () => {
    const tenant = await withMissingRecord();
    expect((await ledger.accounts.usage(tenant))?.recent).toMatchObject([{ state: 'expired' }]);
    await expectReleased(tenant);
  });

  test.concurrent('does not prevent its tenant from creating a session', async () => {
    const tenant = await withMissingRecord();
    const result = await ledger.sessions.reserve(request(tenant, { seconds: 60 }));
    expect(result).toMatchObject({ outcome: 'ok', reservation: { reservedSeconds: 60 } });
  });

  test.concurrent('does not prevent the account of its tenant from being closed', async () => {
    const tenant = await withMissingRecord();
    await ledger.accounts.close(tenant);
    await expectReleased(tenant);
  });
});
