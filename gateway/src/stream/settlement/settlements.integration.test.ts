import { randomUUID } from 'node:crypto';
import type { Ledger } from '@svc-asr/ledger';
import { createLogger, createMetrics } from '@svc-asr/runtime';
import { eventually } from '../../../../test/support/eventually.ts';
import { makeTenant, openLedger, reserved } from '../../../../test/support/ledger.ts';
import { makeNarrowUser, WITHOUT_ACCOUNTS } from '../../../../test/support/narrow-redis.ts';
import type { NarrowUser } from '../../../../test/support/narrow-redis.ts';
import { startRedis } from '../../../../test/support/redis.ts';
import type { TestRedis } from '../../../../test/support/redis.ts';
import { createGatewayMetrics } from '../../metrics.ts';
import { createSettlements } from './settlements.ts';

const prefix = `test-${randomUUID()}`;
const metrics = createGatewayMetrics(createMetrics('gateway'));
let redis: TestRedis;
let ledger: Ledger;
/** The ledger as a gateway has it whose rights change. */
let narrow: Ledger;
let user: NarrowUser;

beforeAll(async () => {
  redis = await startRedis();
  ledger = await openLedger(redis.url, { prefix });
  user = await makeNarrowUser(redis, ledger.link, 'gateway');
  narrow = await openLedger(user.url, { prefix });
});
afterAll(async () => {
  await narrow.link.close();
  await ledger.link.close();
  await redis.stop();
});

async function connected() {
  const owner = await ledger.gateways.join(`gateway-${randomUUID()}`);
  const tenant = await makeTenant(ledger, 60_000);
  const { sessionId } = await reserved(ledger, tenant);
  await ledger.gateways.own(owner, { tenant, sessionId });
  await ledger.sessions.connect({ tenant, sessionId, credentialHash: 'hash', owner, connectionId: 'c' });
  const usage = async () => {
    const { balance, recent } = (await ledger.accounts.usage(tenant))!;
    return { ...balance, state: recent[0]?.state };
  };
  return { owner, stream: { tenant, sessionId }, usage };
}

/** Settlements that Redis refuses, and how often it did. */
async function refused() {
  let refusals = 0;
  const logger = createLogger('gateway', 'error', { write: () => refusals++ });
  await user.allow(...WITHOUT_ACCOUNTS);
  return { settlements: createSettlements(narrow, logger, metrics), refusals: () => refusals };
}

test('a settlement that Redis refuses is kept and asked again, which charges once', async () => {
  const { owner, stream, usage } = await connected();
  const { settlements, refusals } = await refused();
  const added = settlements.add({ ...stream, requestId: 'request' }, owner, {
    outcome: 'completed',
    reason: 'client closed',
    samples: 20_000,
  });
  await eventually('it is refused twice', 20_000, () => refusals() > 1);
  expect([settlements.pending, (await usage()).state]).toEqual([1, 'active']);
  // Who stops does not wait for it: its lease is what ends the session then.
  await settlements.settled();

  await user.allow('~*');
  await added;
  expect(settlements.pending).toBe(0);
  expect(await usage()).toMatchObject({ state: 'completed', reservedMs: 0, consumedMs: 2000, availableMs: 58_000 });
}, 60_000);

test('a connect that Redis refuses to take back is not forgotten: its note stays until it is', async () => {
  const { stream, usage } = await connected();
  const { settlements, refusals } = await refused();
  let takenBack = false;
  const task = settlements.rollBack(stream, 'c').then(() => (takenBack = true));
  await eventually('it is refused', 20_000, () => refusals() > 0);
  expect(takenBack).toBe(false);
  await user.allow('~*');
  await task;
  expect((await usage()).state).toBe('reserved');
}, 60_000);
