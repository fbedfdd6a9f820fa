import { randomUUID } from 'node:crypto';
import type { Ledger } from '@svc-asr/ledger';
import { createLogger, createMetrics } from '@svc-asr/runtime';
import { eventually } from '../../../../test/support/eventually.ts';
import { createTenant, openLedger, reserved } from '../../../../test/support/ledger.ts';
import { createNarrowUser, WITHOUT_ACCOUNTS } from '../../../../test/support/narrow-redis.ts';
import type { NarrowUser } from '../../../../test/support/narrow-redis.ts';
import { startRedis } from '../../../../test/support/redis.ts';
import type { TestRedis } from '../../../../test/support/redis.ts';
import { createGatewayMetrics } from '../../metrics.ts';
import { createSettlements } from './settlements.ts';

const prefix = `test-${randomUUID()}`;
const metrics = createGatewayMetrics(createMetrics('gateway'));
let redis: TestRedis;
let ledger: Ledger;
/** Ledger of a gateway whose Redis user has rights that the tests change. */
let narrow: Ledger;
let user: NarrowUser;

beforeAll(async () => {
  redis = await startRedis();
  ledger = await openLedger(redis.url, { prefix });
  user = await createNarrowUser(redis, ledger.link, 'gateway');
  narrow = await openLedger(user.url, { prefix });
});
afterAll(async () => {
  await narrow.link.close();
  await ledger.link.close();
  await redis.stop();
});

async function connected() {
  const owner = await ledger.gateways.join(`gateway-${randomUUID()}`);
  const tenant = await createTenant(ledger, 60_000);
  const { sessionId } = await reserved(ledger, tenant);
  await ledger.gateways.own(owner, { tenant, sessionId });
  await ledger.sessions.connect({ tenant, sessionId, credentialHash: 'hash', owner, connectionId: 'c' });
  const usage = async () => {
    const { balance, recent } = (await ledger.accounts.usage(tenant))!;
    return { ...balance, state: recent[0]?.state };
  };
  return { owner, stream: { tenant, sessionId }, usage };
}

const CLOSED = { reason: 'client_closed', closeCode: 1000 } as const;

/** Creates settlements that Redis rejects, and counts the rejections. */
async function createRefused() {
  let rejections = 0;
  const logger = createLogger('gateway', 'error', { write: () => rejections++ });
  await user.allow(...WITHOUT_ACCOUNTS);
  return { settlements: createSettlements(narrow, logger, metrics), rejections: () => rejections };
}

test('Settlements repeat a settlement that Redis rejects, and charge the session only once', async () => {
  const { owner, stream, usage } = await connected();
  const { settlements, rejections } = await createRefused();
  const added = settlements.add({ ...stream, model: 'kikuyu', requestId: 'request' }, owner, {
    outcome: 'completed',
    reason: 'client closed',
    samples: 20_000,
    end: CLOSED,
  });
  await eventually('the settlement is rejected twice', 30_000, () => rejections() > 1);
  expect([settlements.pending, (await usage()).state]).toEqual([1, 'active']);
  // A gateway that stops does not wait for the rejected settlement. Other gateways end its session when the lease of
  // this gateway expires.
  await settlements.settled();

  await user.allow('~*');
  await added;
  expect(settlements.pending).toBe(0);
  expect(await usage()).toMatchObject({ state: 'completed', reservedMs: 0, consumedMs: 2000, availableMs: 58_000 });
});

test('Settlements release the slot of a stream even if a failover of Redis has undone the ledger command `connect` of its session', async () => {
  const { owner, stream } = await connected();
  const model = `model-${randomUUID()}`;
  await ledger.workers.register(model, { id: 'w', address: 'ws://w', revision: 'r1', slots: 1 });
  await ledger.pools.place(model, stream);
  // After disconnect(), the session has the same state as before it was connected.
  await ledger.sessions.disconnect(stream.tenant, stream.sessionId, 'c');
  const settlements = createSettlements(ledger, createLogger('gateway', 'silent'), metrics);
  const end = { outcome: 'completed', reason: 'client closed', samples: 20_000, end: CLOSED } as const;
  await settlements.add({ ...stream, model, requestId: 'request' }, owner, end);
  expect(await ledger.pools.load(model)).toMatchObject({ active: 0 });
});

test('if Redis rejects the rollback of a handshake, Settlements repeat it until Redis accepts it', async () => {
  const { stream, usage } = await connected();
  const { settlements, rejections } = await createRefused();
  let rolledBack = false;
  const task = settlements.rollBack(stream, 'c').then(() => (rolledBack = true));
  await eventually('the rollback is rejected', 30_000, () => rejections() > 0);
  expect(rolledBack).toBe(false);
  await user.allow('~*');
  await task;
  expect((await usage()).state).toBe('reserved');
});
