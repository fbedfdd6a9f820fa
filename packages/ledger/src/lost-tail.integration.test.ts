import { randomUUID } from 'node:crypto';
import { connected } from '../../../test/support/connected.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { createTenant, openLedger, reserved } from '../../../test/support/ledger.ts';
import { startSentinel } from '../../../test/support/redis-sentinel.ts';
import type { TestSentinel } from '../../../test/support/redis-sentinel.ts';
import { replay } from './journal.ts';
import type { Ledger } from './ledger.ts';
import type { Owner } from './sessions.ts';

// Redis copies writes to its replicas after it has acknowledged them. If the primary is lost, the last writes may be
// lost too. The records on the replica are then outdated, but consistent, because all writes of a script are copied
// together.

const TTL_MS = 3000;
const NONE = { has: () => false, list: () => [] };
let redis: TestSentinel;
let ledger: Ledger;
let owner: Owner;
/** Tenants by the write that the failover has lost. */
let tenants: Record<'reserve' | 'connect' | 'settle' | 'grant', string>;
const sessions = { reserve: '', connect: '', settle: '' };

beforeAll(async () => {
  redis = await startSentinel();
  ledger = await openLedger(redis.url, { sessionTtlMs: TTL_MS });
  owner = await ledger.gateways.join(`gateway-${randomUUID()}`);
  const [reserve, connect, settle, grant] = await Promise.all([1, 2, 3, 4].map(() => createTenant(ledger, 60_000)));
  tenants = { reserve: reserve!, connect: connect!, settle: settle!, grant: grant! };
  sessions.connect = await reserveSession(tenants.connect);
  sessions.settle = await reserveSession(tenants.settle);
  await connectSession(tenants.settle, sessions.settle);
  const primary = await redis.primary();
  await redis.untilReplicated();

  const resume = await redis.cutOffReplicas();
  sessions.reserve = await reserveSession(tenants.reserve);
  await connectSession(tenants.connect, sessions.connect);
  const settled = await ledger.sessions.settle(tenants.settle, sessions.settle, owner, 16_001, 'test');
  expect(settled).toMatchObject({ outcome: 'ok', billableMs: 2000 });
  expect(await ledger.accounts.grant(tenants.grant, 'second', 5000)).toMatchObject({ applied: true });
  await primary.kill();
  resume();
  await redis.untilFailover(primary);
  await connected(ledger.link, 60_000);
});
afterAll(async () => {
  await ledger.link.close();
  await redis.stop();
});

const reserveSession = async (tenant: string) => (await reserved(ledger, tenant, { seconds: 20 })).sessionId;

async function connectSession(tenant: string, sessionId: string): Promise<string> {
  await ledger.gateways.own(owner, { tenant, sessionId });
  const request = { tenant, sessionId, credentialHash: 'hash', owner, connectionId: 'c' };
  return (await ledger.sessions.connect(request)).outcome;
}

/** Checks that the account has no live session, and that the journal adds up to the balance. */
async function expectBalance(tenant: string, { grantedMs = 60_000, consumedMs = 0 } = {}): Promise<void> {
  await eventually(
    'no session is live',
    30_000,
    async () => (await ledger.accounts.usage(tenant))!.balance.reservedMs === 0,
  );
  const account = await ledger.accounts.read(tenant);
  expect(account).toMatchObject({ grantedMs, consumedMs, reservedMs: 0, liveSessions: 0 });
  expect(account!.availableMs).toBe(grantedMs - consumedMs);
  expect(replay(await ledger.journal.read(tenant))).toEqual({ granted: grantedMs, reserved: 0, consumed: consumedMs });
}

describe('if a failover loses', () => {
  test.concurrent('the reservation of a session, the session cannot connect, is not charged and holds no credit', async () => {
    expect(await connectSession(tenants.reserve, sessions.reserve)).toBe('refused');
    const settled = await ledger.sessions.settle(tenants.reserve, sessions.reserve, owner, 16_001, 'test');
    expect(settled).toEqual({ outcome: 'unknown' });
    await expectBalance(tenants.reserve);
  });

  test.concurrent('the record that a session has connected, the session is not charged and expires with its credential', async () => {
    const settled = await ledger.sessions.settle(tenants.connect, sessions.connect, owner, 16_001, 'test');
    expect(settled).toEqual({ outcome: 'not_connected' });
    await expectBalance(tenants.connect);
  });

  test.concurrent('the settlement of a session, the gateway fails the session, which is not charged', async () => {
    expect((await ledger.accounts.read(tenants.settle))!.reservedMs).toBe(20_000);
    expect(await ledger.gateways.reconcile(owner, NONE)).toBeGreaterThan(0);
    expect(await ledger.sessions.settle(tenants.settle, sessions.settle, owner, 16_001, 'test')).toMatchObject({
      outcome: 'already',
      billableMs: 0,
    });
    await expectBalance(tenants.settle);
  });

  test.concurrent('a grant, the operator can apply the grant once more, but not twice', async () => {
    expect(await ledger.accounts.grant(tenants.grant, 'second', 5000)).toMatchObject({ applied: true });
    expect(await ledger.accounts.grant(tenants.grant, 'second', 5000)).toMatchObject({ applied: false });
    await expectBalance(tenants.grant, { grantedMs: 65_000 });
  });
});
