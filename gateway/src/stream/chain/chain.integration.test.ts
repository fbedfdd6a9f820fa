import { randomUUID } from 'node:crypto';
import { createLogger } from '@svc-asr/runtime';
import type { Ledger } from '@svc-asr/ledger';
import { createTenant, openLedger, reserved } from '../../../../test/support/ledger.ts';
import { startRedis } from '../../../../test/support/redis.ts';
import type { TestRedis } from '../../../../test/support/redis.ts';
import { AudioBudget } from '../audio-memory/audio-budget.ts';
import { Claims } from '../settlement/claims.ts';
import { createSettlements } from '../settlement/settlements.ts';
import { Chain } from './chain.ts';

const PART_MS = 2000;
const PART_SAMPLES = PART_MS * 16;
const MODEL = 'kikuyu';
const CLOSED = { reason: 'client_closed', closeCode: 1000 } as const;

let redis: TestRedis;
let ledger: Ledger;
beforeAll(async () => {
  redis = await startRedis();
  ledger = await openLedger(redis.url);
});
afterAll(async () => {
  await ledger.link.close();
  await redis.stop();
});

/** Opens a session and creates its chain, with the parts of the gateway that the chain needs. */
async function open({ creditMs = 60_000, seconds = PART_MS / 1000, isEndless = true, memoryMs = 600_000 } = {}) {
  const tenant = await createTenant(ledger, creditMs);
  const owner = await ledger.gateways.join(`gateway-${randomUUID()}`);
  const { sessionId } = await reserved(ledger, tenant, { seconds });
  const claims = new Claims();
  const requestId = randomUUID();
  claims.take({ tenant, sessionId }, owner);
  await ledger.gateways.own(owner, { tenant, sessionId });
  await ledger.sessions.connect({ tenant, sessionId, owner, credentialHash: 'hash', connectionId: requestId });
  const billed: number[] = [];
  const metrics = {
    billedSeconds: { add: (value: number) => billed.push(value) },
    tenantUsage: { countBilled: () => undefined },
  } as unknown as Parameters<typeof createSettlements>[2];
  const logger = createLogger('gateway', 'silent');
  const settlements = createSettlements(ledger, logger, metrics);
  const budget = new AudioBudget(memoryMs * 32);
  const share = budget.take()!;
  const priority = 'normal' as const;
  const release = () => undefined;
  const handshake = {
    tenant,
    sessionId,
    owner,
    requestId,
    release,
    model: MODEL,
    reservedMs: seconds * 1000,
    priority,
  };
  const parts = { ledger, claims, settlements, logger, metrics, partMs: PART_MS, isEndless };
  const chain = new Chain(parts, handshake, share);
  share.resize(chain.firstMs);
  const end = (samples: number, outcome: 'completed' | 'failed' = 'completed') =>
    chain.settle({ outcome, reason: 'client closed', samples, end: CLOSED });
  const usage = async () => {
    const { balance, recent } = (await ledger.accounts.usage(tenant))!;
    return { balance, sessions: recent.map(({ state, billableMs }) => [state, billableMs]) };
  };
  return { tenant, owner, chain, claims, billed, share, budget, sessionId, end, usage };
}

test('Chain.extend settles each full session, and Chain.settle settles the last session', async () => {
  const { tenant, owner, chain, claims, billed, sessionId, end, usage } = await open();
  expect(await chain.extend(() => 0)).toEqual({ outcome: 'ok', ms: PART_MS });
  expect(await chain.extend(() => 0)).toEqual({ outcome: 'ok', ms: PART_MS });
  expect(chain.sessionId).not.toBe(sessionId);
  expect(await ledger.gateways.reconcile(owner, claims.heldBy(owner))).toBe(0);
  expect((await usage()).sessions).toEqual([
    ['active', 0],
    ['completed', 2000],
    ['completed', 2000],
  ]);
  await end(2 * PART_SAMPLES + 1);
  const { balance, sessions } = await usage();
  expect(sessions).toEqual([
    ['completed', 1000],
    ['completed', 2000],
    ['completed', 2000],
  ]);
  expect(balance).toMatchObject({ availableMs: 55_000, reservedMs: 0, consumedMs: 5000 });
  expect(billed).toEqual([2, 2, 1]);
  expect([...claims.heldBy(owner).list()]).toEqual([]);
  expect((await ledger.accounts.read(tenant))!.liveSessions).toBe(0);
});

test('Chain.extend returns the outcome "credit" when less than one second of credit remains', async () => {
  const { chain, end, usage } = await open({ creditMs: 3500 });
  expect(await chain.extend(() => 0)).toEqual({ outcome: 'ok', ms: 1000 });
  expect(await chain.extend(() => 0)).toEqual({ outcome: 'credit' });
  await end(PART_SAMPLES + 16_000);
  expect(await usage()).toEqual({
    balance: { grantedMs: 3500, availableMs: 500, reservedMs: 0, consumedMs: 3000 },
    sessions: [
      ['completed', 1000],
      ['completed', 2000],
    ],
  });
});

test('a Chain that transcribes a file reserves all credit with its first session, and settles all sessions at the end', async () => {
  const { chain, end, usage, billed } = await open({ seconds: 5, isEndless: false });
  const extensions = [await chain.extend(() => 0), await chain.extend(() => 0), await chain.extend(() => 0)];
  expect(extensions).toEqual([{ outcome: 'ok', ms: 2000 }, { outcome: 'ok', ms: 1000 }, { outcome: 'credit' }]);
  expect((await usage()).sessions).toEqual([['active', 0]]);
  await end(2 * PART_SAMPLES + 5);
  expect((await usage()).sessions).toEqual([
    ['completed', 1000],
    ['completed', 2000],
    ['completed', 2000],
  ]);
  expect(billed).toEqual([5]);
});

test('a Chain that transcribes a file charges nothing if the service fails the stream', async () => {
  const { chain, end, usage } = await open({ seconds: 5, isEndless: false });
  await chain.extend(() => 0);
  await end(PART_SAMPLES + 5, 'failed');
  expect(await usage()).toMatchObject({ balance: { consumedMs: 0, reservedMs: 0 }, sessions: [['failed', 0]] });
});

test('Chain.extend reserves memory for the next part and the held audio, and waits while no memory is free', async () => {
  const { chain, budget, end } = await open({ memoryMs: 600_000 });
  await chain.extend(() => 5 * PART_SAMPLES);
  expect(budget.heldBytes).toBe(6 * PART_SAMPLES * 2);
  const other = budget.take()!;
  other.resize(600_000 - 6 * PART_MS);
  let isExtended = false;
  const extension = chain.extend(() => 6 * PART_SAMPLES).then(() => (isExtended = true));
  await ledger.syncClock();
  expect(isExtended).toBe(false);
  other.release();
  await extension;
  await end(PART_SAMPLES);
});

test('if the gateway has no free audio memory, Chain.extend adds the whole seconds that fit into the memory that the stream already holds', async () => {
  const { chain, budget, end, usage } = await open();
  budget.take()!.resize(600_000 - PART_MS);
  expect(await chain.extend(() => 100)).toEqual({ outcome: 'ok', ms: 1000 });
  expect(await chain.extend(() => PART_SAMPLES / 2)).toEqual({ outcome: 'ok', ms: 1000 });
  expect((await usage()).sessions).toHaveLength(2);
  expect(await chain.extend(() => 0)).toEqual({ outcome: 'ok', ms: PART_MS });
  await end(2 * PART_SAMPLES + 16_000);
  expect((await usage()).sessions).toEqual([
    ['completed', 1000],
    ['completed', 2000],
    ['completed', 2000],
  ]);
});

test('a call of Chain.extend that waits for memory continues when the stream holds less audio', async () => {
  const { chain, budget, end } = await open();
  budget.take()!.resize(600_000 - PART_MS);
  const held = [PART_SAMPLES, PART_SAMPLES, PART_SAMPLES / 2];
  const extension = await chain.extend(() => (held.length > 1 ? held.shift() : held[0]) ?? 0);
  expect(extension).toEqual({ outcome: 'ok', ms: 1000 });
  await end(PART_SAMPLES);
});

test('while an extension waits for memory, Chain.settle settles only the current session', async () => {
  const { chain, budget, end, usage } = await open();
  budget.take()!.resize(600_000 - PART_MS);
  const extension = chain.extend(() => PART_SAMPLES);
  await end(PART_SAMPLES);
  expect(await extension).toEqual({ outcome: 'stopped' });
  expect(await usage()).toMatchObject({
    balance: { reservedMs: 0, consumedMs: 2000 },
    sessions: [['completed', 2000]],
  });
});

test('Chain.settle stops an extension that waits for memory, so that the extension takes no memory that becomes free later', async () => {
  const { chain, share, budget, end } = await open();
  const other = budget.take()!;
  other.resize(600_000 - PART_MS);
  const extension = chain.extend(() => PART_SAMPLES);
  share.release();
  other.release();
  await end(PART_SAMPLES);
  expect(await extension).toEqual({ outcome: 'stopped' });
  expect(budget.heldBytes).toBe(0);
});

test('Chain.extend returns the outcome "stale" if the session has already failed in the ledger', async () => {
  const { tenant, chain, owner, sessionId } = await open();
  await ledger.sessions.fail(tenant, sessionId, owner, 0, 'gateway lost');
  expect(await chain.extend(() => 0)).toEqual({ outcome: 'stale' });
});
