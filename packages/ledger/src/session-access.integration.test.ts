import { randomUUID } from 'node:crypto';
import type { Ledger } from './ledger.ts';
import type { Owner } from './sessions.ts';
import { createTenant, openLedger, provisional, request, reserved } from '../../../test/support/ledger.ts';
import { startRedis } from '../../../test/support/redis.ts';
import type { TestRedis } from '../../../test/support/redis.ts';

const MODEL = 'kikuyu';

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

const join = () => ledger.gateways.join(`g-${randomUUID()}`);

async function connect(tenant: string, sessionId: string, gateway?: Owner) {
  const owner = gateway ?? (await join());
  const connectionId = randomUUID();
  const connected = await ledger.sessions.connect({
    tenant,
    sessionId,
    credentialHash: 'hash',
    owner,
    connectionId,
  });
  return { owner, connectionId, outcome: connected.outcome };
}

const get = (tenant: string, id: string) => ledger.sessionAccess.get(tenant, id);
const remove = async (tenant: string, id: string) => (await ledger.sessionAccess.delete(tenant, id)).outcome;

test('delete() expires a reserved session immediately and releases its credit, and a repeated call of delete() changes nothing', async () => {
  const tenant = await createTenant(ledger, 60_000);
  const { sessionId } = await reserved(ledger, tenant);
  expect(await get(tenant, sessionId)).toMatchObject({ state: 'reserved', endReason: null, closeCode: null });
  expect(await ledger.sessionAccess.delete(tenant, sessionId)).toEqual({ outcome: 'expired', model: MODEL });
  expect(await remove(tenant, sessionId)).toBe('ended');
  expect(await get(tenant, sessionId)).toMatchObject({ state: 'expired', endReason: 'cancelled', closeCode: null });
  expect((await connect(tenant, sessionId)).outcome).toBe('refused');
  expect(await ledger.accounts.read(tenant)).toMatchObject({ availableMs: 60_000, reservedMs: 0, liveSessions: 0 });
  await reserved(ledger, tenant);
});

test('after delete(), the Idempotency-Key of a reserved, active or ended session creates a new session', async () => {
  const tenant = await createTenant(ledger, 600_000, { concurrentSessions: 9 });
  const again = async (idempotencyKey: string) => (await reserved(ledger, tenant, { idempotencyKey })).sessionId;
  const created = await again('reserved');
  expect(await again('reserved')).toBe(created);
  await remove(tenant, created);
  expect(await again('reserved')).not.toBe(created);

  const active = await again('active');
  await connect(tenant, active);
  await remove(tenant, active);
  expect(await again('active')).not.toBe(active);

  const ended = await again('ended');
  const { owner } = await connect(tenant, ended);
  await ledger.sessions.settle(tenant, ended, owner, 0, 'client closed');
  const repeated = await provisional(ledger, request(tenant, { idempotencyKey: 'ended' }));
  expect(repeated.sessionId).toBe(ended);
  expect(await remove(tenant, ended)).toBe('ended');
  expect(await again('ended')).not.toBe(ended);
});

test('after delete() of an active session, cancelled() lists the session for its gateway until the gateway calls forget()', async () => {
  const tenant = await createTenant(ledger, 60_000);
  const { sessionId } = await reserved(ledger, tenant);
  const { owner } = await connect(tenant, sessionId);
  expect(await ledger.sessionAccess.cancelled(owner)).toEqual([]);
  expect([await remove(tenant, sessionId), await remove(tenant, sessionId)]).toEqual(['active', 'active']);
  expect(await ledger.sessionAccess.cancelled(owner)).toEqual([sessionId]);
  await ledger.sessionAccess.forget(owner, sessionId);
  expect(await ledger.sessionAccess.cancelled(owner)).toEqual([]);
  expect(await get(tenant, sessionId)).toMatchObject({ state: 'active', endReason: null });
  const end = { reason: 'cancelled', closeCode: 1000 } as const;
  await ledger.sessions.settle(tenant, sessionId, owner, 16_000, 'cancelled', { end });
  const record = { state: 'completed', billableMs: 1000, endReason: 'cancelled', closeCode: 1000 };
  expect(await get(tenant, sessionId)).toMatchObject(record);
});

test('if a client deletes a connected session, and the session is then disconnected, the session expires and holds no capacity in its pool', async () => {
  const tenant = await createTenant(ledger, 60_000);
  const model = `m-${randomUUID()}`;
  const { sessionId, expiresAtMs } = await reserved(ledger, tenant, { model });
  await ledger.pools.claim(model, sessionId, expiresAtMs);
  const { connectionId } = await connect(tenant, sessionId);
  expect(await remove(tenant, sessionId)).toBe('active');
  expect(await ledger.sessions.disconnect(tenant, sessionId, connectionId)).toBe(true);
  expect(await ledger.pools.load(model)).toMatchObject({ held: 0 });
  // The pool holds capacity again, as if the first call of disconnect() had failed before it released the capacity.
  await ledger.pools.claim(model, sessionId, expiresAtMs);
  expect(await ledger.sessions.disconnect(tenant, sessionId, connectionId)).toBe(false);
  expect(await ledger.pools.load(model)).toMatchObject({ held: 0 });
  expect(await get(tenant, sessionId)).toMatchObject({ state: 'expired', endReason: 'cancelled' });
  expect(await ledger.accounts.read(tenant)).toMatchObject({ reservedMs: 0, liveSessions: 0 });
});

test('if delete() and connect() run at the same time, exactly one of them gets the session', async () => {
  const tenant = await createTenant(ledger, 6_000_000, { concurrentSessions: 100 });
  const gateway = await join();
  const winners = new Set<string>();
  for (let round = 0; round < 40; round++) {
    const { sessionId } = await reserved(ledger, tenant);
    const requests = [() => remove(tenant, sessionId), async () => (await connect(tenant, sessionId, gateway)).outcome];
    if (round % 2 === 1) requests.reverse();
    const outcomes = await Promise.all(requests.map((send) => send()));
    expect([
      ['expired', 'refused'],
      ['active', 'ok'],
    ]).toContainEqual(round % 2 === 1 ? outcomes.reverse() : outcomes);
    winners.add(outcomes[1] ?? '');
  }
  expect([...winners].sort()).toEqual(['ok', 'refused']);
});

test('a session that is unknown, not confirmed or of another tenant is neither returned nor deleted', async () => {
  const [tenant, other] = [await createTenant(ledger, 60_000), await createTenant(ledger, 60_000)];
  const { sessionId: foreign } = await reserved(ledger, other);
  const { sessionId: unconfirmed } = await provisional(ledger, request(tenant));
  for (const sessionId of [foreign, unconfirmed, randomUUID()]) {
    expect([await get(tenant, sessionId), await remove(tenant, sessionId)]).toEqual([undefined, 'unknown']);
  }
  expect(await get(other, foreign)).toMatchObject({ state: 'reserved' });
});

test('get() finds at least the 100 newest sessions, with the reason for their end', async () => {
  const tenant = await createTenant(ledger, 600_000);
  const ids: string[] = [];
  for (let count = 0; count < 130; count++) {
    const { sessionId } = await reserved(ledger, tenant, { seconds: 1 });
    ids.push(sessionId);
    await remove(tenant, sessionId);
  }
  expect(await get(tenant, ids[0]!)).toBeUndefined();
  expect(await remove(tenant, ids[0]!)).toBe('unknown');
  for (const id of ids.slice(-100)) expect(await get(tenant, id)).toMatchObject({ id, endReason: 'cancelled' });
  expect((await ledger.accounts.usage(tenant))?.recent).toHaveLength(20);
});

test('get() returns a session that an earlier version ended without recording a reason', async () => {
  const tenant = await createTenant(ledger, 60_000);
  const { sessionId } = await reserved(ledger, tenant);
  const { owner } = await connect(tenant, sessionId);
  await ledger.sessions.settle(tenant, sessionId, owner, 16_000, 'client closed');
  expect(await get(tenant, sessionId)).toMatchObject({ state: 'completed', endReason: null, closeCode: null });
});

test('a failed session has the end reason service_error unless its gateway specifies another reason', async () => {
  const tenant = await createTenant(ledger, 60_000, { concurrentSessions: 2 });
  const [first, second] = [await reserved(ledger, tenant, { seconds: 1 }), await reserved(ledger, tenant)];
  const one = await connect(tenant, first.sessionId);
  await ledger.sessions.fail(tenant, first.sessionId, one.owner, 0, 'gateway lost');
  const two = await connect(tenant, second.sessionId);
  const end = { reason: 'no_capacity', closeCode: 4503 } as const;
  await ledger.sessions.fail(tenant, second.sessionId, two.owner, 0, 'no_capacity', { end });
  const ends = [await get(tenant, first.sessionId), await get(tenant, second.sessionId)];
  expect(ends.map((session) => [session?.endReason, session?.closeCode])).toEqual([
    ['service_error', null],
    ['no_capacity', 4503],
  ]);
});
