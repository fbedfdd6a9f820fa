import { randomUUID } from 'node:crypto';
import { createTenant, latestSessions, provisional, request, reserved } from '../../../test/support/ledger.ts';
import { startRedis } from '../../../test/support/redis.ts';
import type { TestRedis } from '../../../test/support/redis.ts';
import { openSteppedLedger } from '../../../test/support/stepped-clock.ts';
import type { SteppedLedger } from '../../../test/support/stepped-clock.ts';
import { createRedisKeys } from './keys.ts';
import type { OwnedStream } from './owned-stream.ts';
import type { ServedStreams } from './ownership.ts';
import type { Owner } from './sessions.ts';

const CREDIT_MS = 60_000;
const LEASE_MS = 15_000;
/**
 * Age at which a session that reserves CREDIT_MS is past its deadline. The deadline is the sum of the lifetime of the
 * credential, the reserved audio and STREAM_EXTRA_MS.
 */
const DEADLINE_MS = 60_000 + CREDIT_MS + 443_000 + 1000;
const PREFIX = `test-${randomUUID()}`;
const MODEL = 'kikuyu';
const keys = createRedisKeys(PREFIX);
const raise = (error: unknown) => {
  throw error;
};

let redis: TestRedis;
let ledger: SteppedLedger;
/** A gateway that keeps its lease in all tests. */
let alive: Owner;
beforeAll(async () => {
  redis = await startRedis();
  ledger = await openSteppedLedger(redis.url, { prefix: PREFIX });
});
beforeEach(async () => {
  alive = await ledger.gateways.join(`alive-${randomUUID()}`);
});
afterAll(async () => {
  await ledger.link.close();
  await redis.stop();
});

async function reapAll(): Promise<void> {
  await ledger.reap(raise);
  await ledger.gateways.reapDead(raise);
}

/**
 * Time by which `pass` advances the clock at once. This time plus a pause of the machine must be shorter than 5 s.
 * Otherwise the ledger assumes that the clock was changed, and restarts the leases.
 */
const STEP_MS = 2500;

/** Advances the clock of Redis in small parts. After each part, the gateway `alive` renews its lease and reaps. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= STEP_MS) {
    await ledger.step(Math.min(left, STEP_MS));
    await ledger.gateways.renew(alive);
    await reapAll();
  }
}

/** Builds the list of streams that a gateway serves, as `reconcile` expects it. */
const served = (...streams: OwnedStream[]): ServedStreams => ({
  has: (sessionId) => streams.some((stream) => stream.sessionId === sessionId),
  list: () => streams,
});

async function reserve(): Promise<OwnedStream> {
  const tenant = await createTenant(ledger, CREDIT_MS);
  const { sessionId } = await reserved(ledger, tenant, { model: MODEL });
  return { tenant, sessionId };
}
const connect = async (owner: Owner, { tenant, sessionId }: OwnedStream) =>
  (await ledger.sessions.connect({ tenant, sessionId, credentialHash: 'hash', owner, connectionId: 'c' })).outcome;

async function openStream(owner: Owner): Promise<OwnedStream> {
  const stream = await reserve();
  expect(await ledger.gateways.own(owner, stream)).toBe(true);
  expect(await connect(owner, stream)).toBe('ok');
  return stream;
}

async function expectFailed({ tenant }: OwnedStream): Promise<void> {
  expect(await ledger.accounts.read(tenant)).toMatchObject({ liveSessions: 0, reservedMs: 0, availableMs: CREDIT_MS });
  expect((await latestSessions(ledger, tenant))[0]).toMatchObject({ state: 'failed', billableMs: 0 });
  // The failed session does not count against the concurrency limit of the tenant.
  await reserved(ledger, tenant);
}

const stateOf = async ({ tenant }: OwnedStream) => (await latestSessions(ledger, tenant))[0]?.state;

/** Copies the data of a tenant. The returned function restores it, like a failover to an outdated replica. */
async function snapshot({ tenant }: OwnedStream): Promise<() => Promise<void>> {
  const names = (await ledger.link.send('', ['KEYS', `${PREFIX}:{t:${tenant}}:*`])) as string[];
  const copies = names.map((name) => `copy:${name}`);
  for (const [at, name] of names.entries()) await ledger.link.send('', ['COPY', name, copies[at]!]);
  return async () => {
    const present = (await ledger.link.send('', ['KEYS', `${PREFIX}:{t:${tenant}}:*`])) as string[];
    await ledger.link.send('', ['DEL', ...present]);
    for (const [at, name] of names.entries()) await ledger.link.send('', ['RENAME', copies[at]!, name]);
  };
}

describe('a gateway that froze and was then declared dead', () => {
  test('cannot connect a session for which it has an ownership record, and another gateway can still use the credential', async () => {
    const frozen = await ledger.gateways.join(`frozen-${randomUUID()}`);
    const stream = await reserve();
    await ledger.gateways.own(frozen, stream);
    await pass(LEASE_MS + 4000);
    expect(await ledger.gateways.renew(frozen)).toBeUndefined();
    expect(await connect(frozen, stream)).toBe('owner_dead');
    expect(await connect(alive, stream)).toBe('ok');
  });

  test('cannot become the owner of a stream', async () => {
    const frozen = await ledger.gateways.join(`frozen-${randomUUID()}`);
    await pass(LEASE_MS + 4000);
    expect(await ledger.gateways.own(frozen, await reserve())).toBe(false);
  });

  test('can still connect a session, but is not recorded as its owner, and the session fails at its deadline', async () => {
    const frozen = await ledger.gateways.join(`frozen-${randomUUID()}`);
    await pass(LEASE_MS + 4000);
    const stream = await reserve();
    expect(await connect(frozen, stream)).toBe('ok');
    await pass(DEADLINE_MS);
    await expectFailed(stream);
  });
});

describe('if a failover of Redis undoes a settlement', () => {
  test('the session is active again, and its gateway ends it as failed if the failover kept the ownership record', async () => {
    const stream = await openStream(alive);
    const restore = await snapshot(stream);
    const { tenant, sessionId } = stream;
    expect(await ledger.sessions.settle(tenant, sessionId, alive, 16_000, 'client closed')).toMatchObject({
      outcome: 'ok',
    });
    await restore();
    expect(await stateOf(stream)).toBe('active');
    expect(await ledger.gateways.reconcile(alive, served())).toBe(1);
    await expectFailed(stream);
  });

  test('the session is active again, and the reaper ends it as failed at its deadline if no gateway owns it', async () => {
    const stream = await openStream(alive);
    const restore = await snapshot(stream);
    const { tenant, sessionId } = stream;
    await ledger.sessions.settle(tenant, sessionId, alive, 16_000, 'client closed');
    await ledger.gateways.disown(alive, stream);
    await restore();
    await pass(DEADLINE_MS);
    await expectFailed(stream);
  });
});

test('if a failover of Redis loses the record that a session was connected, settle() and fail() return not_connected', async () => {
  const stream = await reserve();
  const restore = await snapshot(stream);
  const { tenant, sessionId } = stream;
  expect(await connect(alive, stream)).toBe('ok');
  await restore();
  expect(await ledger.sessions.settle(tenant, sessionId, alive, 16_000, 'x')).toEqual({ outcome: 'not_connected' });
  expect(await ledger.sessions.fail(tenant, sessionId, alive, 0, 'x')).toEqual({ outcome: 'not_connected' });
});

describe('the deadline of an active session', () => {
  test('is extended by the reaper while a live gateway owns the stream, so the session fails only when it has no owner', async () => {
    const stream = await openStream(alive);
    await pass(DEADLINE_MS + 120_000);
    expect(await stateOf(stream)).toBe('active');
    await ledger.gateways.disown(alive, stream);
    await pass(120_000);
    await expectFailed(stream);
  });

  test('can pass in an outage of Redis, but then neither a usage request nor the reaper ends the session if a live gateway owns the stream', async () => {
    const stream = await openStream(alive);
    // This step simulates an outage of Redis, in which no reaper could extend the deadline.
    await ledger.step(DEADLINE_MS);
    expect((await ledger.accounts.usage(stream.tenant))?.balance.reservedMs).toBe(CREDIT_MS);
    expect(await stateOf(stream)).toBe('active');
    await reapAll();
    expect(await stateOf(stream)).toBe('active');
    const { tenant, sessionId } = stream;
    const settled = await ledger.sessions.settle(tenant, sessionId, alive, 16_000, 'client closed');
    expect(settled).toMatchObject({ outcome: 'ok', billableMs: 1000 });
  });

  test('is set for a session that an earlier version stored without a deadline', async () => {
    const stream = await openStream(alive);
    const live = keys.live(stream.tenant);
    await ledger.link.send(live, ['ZADD', live, '+inf', stream.sessionId]);
    await ledger.gateways.disown(alive, stream);
    await pass(DEADLINE_MS);
    await expectFailed(stream);
  });
});

describe('after the clock of Redis stepped back by a day', () => {
  const DAY_MS = 86_400_000;
  /** Time until the reaper notices the step of the clock, plus time from a deadline until it checks the tenant. */
  const REAPER_MS = 8000;
  /** Lifetime of a credential, counted from the step of the clock, plus REAPER_MS. */
  const EXPIRY_MS = 60_000 + REAPER_MS;
  const liveSessions = async (tenant: string) => (await ledger.accounts.read(tenant))?.liveSessions;

  test('a reserved session expires within the lifetime of its credential if the reaper runs', async () => {
    const { tenant } = await reserve();
    await ledger.step(-DAY_MS);
    await pass(EXPIRY_MS);
    expect(await ledger.accounts.read(tenant)).toMatchObject({ liveSessions: 0, availableMs: CREDIT_MS });
    expect((await latestSessions(ledger, tenant))[0]).toMatchObject({ state: 'expired' });
  });

  test('a reserved session expires within the lifetime of its credential if its tenant requests another session', async () => {
    const { tenant } = await reserve();
    await ledger.step(-DAY_MS);
    expect((await ledger.sessions.reserve(request(tenant))).outcome).toBe('rate');
    await ledger.step(EXPIRY_MS);
    await reserved(ledger, tenant);
  });

  test('a provisional session is removed within the lifetime of its credential', async () => {
    const tenant = await createTenant(ledger, CREDIT_MS);
    await provisional(ledger, request(tenant));
    await ledger.step(-DAY_MS);
    await pass(EXPIRY_MS);
    expect(await liveSessions(tenant)).toBe(0);
    expect(await latestSessions(ledger, tenant)).toEqual([]);
  });

  test('a reserved session can be confirmed again and connected, and is listed only once', async () => {
    const tenant = await createTenant(ledger, CREDIT_MS);
    const reservation = await reserved(ledger, tenant, { model: MODEL });
    await ledger.step(-DAY_MS);
    await reapAll();
    expect(await ledger.sessions.confirm(tenant, reservation)).toBe(true);
    expect(await latestSessions(ledger, tenant)).toHaveLength(1);
    expect(await connect(alive, { tenant, sessionId: reservation.sessionId })).toBe('ok');
    expect(await liveSessions(tenant)).toBe(1);
  });

  test('the reaper does not end a stream that a gateway serves', async () => {
    const stream = await openStream(alive);
    await ledger.step(-DAY_MS);
    await pass(DEADLINE_MS);
    expect(await stateOf(stream)).toBe('active');
    const { tenant, sessionId } = stream;
    expect(await ledger.sessions.settle(tenant, sessionId, alive, 16_000, 'client closed')).toMatchObject({
      outcome: 'ok',
    });
  });

  test('the reaper fails an active session at its usual deadline if no gateway owns it', async () => {
    const stream = await openStream(alive);
    await ledger.gateways.disown(alive, stream);
    await ledger.step(-DAY_MS);
    await pass(DEADLINE_MS + REAPER_MS);
    await expectFailed(stream);
  });

  test('a session expires within the lifetime of its credential, even if it was reserved before the ledger noticed the step of the clock', async () => {
    await reserve();
    await ledger.step(-DAY_MS);
    const { tenant } = await reserve();
    await pass(EXPIRY_MS);
    expect(await liveSessions(tenant)).toBe(0);
  });

  test('a queued stream of a dead gateway does not block the queue', async () => {
    const model = `queue-${randomUUID()}`;
    await ledger.pools.place(model, { sessionId: 'dead', tenant: 'a' });
    await ledger.step(-DAY_MS);
    const place = () => ledger.pools.place(model, { sessionId: 'alive', tenant: 'b' });
    expect(await place()).toMatchObject({ outcome: 'wait' });
    await ledger.step(60_001);
    expect(await place()).toMatchObject({ outcome: 'wait' });
    await ledger.workers.register(model, { id: 'w', address: 'ws://w', revision: 'r1', slots: 1 });
    expect(await place()).toMatchObject({ outcome: 'placed' });
    expect(await ledger.pools.load(model)).toMatchObject({ active: 1, waiting: 0 });
  });

  test('a session that never connects holds capacity for at most 65 s', async () => {
    const model = `hold-${randomUUID()}`;
    await ledger.pools.load(model);
    await ledger.pools.claim(model, 'session', ledger.now() + 65_000);
    await ledger.step(-DAY_MS);
    expect(await ledger.pools.load(model)).toMatchObject({ held: 1 });
    await ledger.step(65_001);
    expect(await ledger.pools.load(model)).toMatchObject({ held: 0 });
  });
});

describe('gateways.reconcile', () => {
  test('keeps the session and the record of a stream that the gateway serves', async () => {
    const stream = await openStream(alive);
    expect(await ledger.gateways.reconcile(alive, served(stream))).toBe(0);
    expect(await stateOf(stream)).toBe('active');
    expect(await ledger.gateways.serves(alive, stream)).toBe(true);
  });

  test('adds the missing record of a stream that the gateway serves', async () => {
    const stream = await openStream(alive);
    await ledger.gateways.disown(alive, stream);
    await ledger.gateways.reconcile(alive, served(stream));
    expect(await ledger.gateways.serves(alive, stream)).toBe(true);
  });

  test('releases the slot of an ended session whose `leave` command was lost', async () => {
    await ledger.workers.register(MODEL, { id: 'w', address: 'ws://w', revision: 'r1', slots: 1 });
    const stream = await openStream(alive);
    const { tenant, sessionId } = stream;
    expect(await ledger.pools.place(MODEL, { sessionId, tenant })).toMatchObject({ outcome: 'placed' });
    await ledger.sessions.fail(tenant, sessionId, alive, 0, 'stream lost');
    expect(await ledger.pools.load(MODEL)).toMatchObject({ active: 1 });
    expect(await ledger.gateways.reconcile(alive, served())).toBe(0);
    expect(await ledger.pools.load(MODEL)).toMatchObject({ active: 0 });
    expect(await ledger.gateways.serves(alive, stream)).toBe(false);
  });

  test('removes the record of a session that another gateway connected, and does not end that session', async () => {
    const other = await ledger.gateways.join(`other-${randomUUID()}`);
    const stream = await openStream(other);
    await ledger.gateways.own(alive, stream);
    expect(await ledger.gateways.reconcile(alive, served())).toBe(0);
    expect(await ledger.gateways.serves(alive, stream)).toBe(false);
    expect(await stateOf(stream)).toBe('active');
  });
});

test('a dead gateway cannot connect a session that another gateway has connected and disconnected', async () => {
  const tenant = await createTenant(ledger, CREDIT_MS);
  const { sessionId } = await reserved(ledger, tenant);
  const dead = await ledger.gateways.join(`dead-${randomUUID()}`);
  const connect = (owner: Owner) =>
    ledger.sessions.connect({ tenant, sessionId, credentialHash: 'hash', owner, connectionId: owner.id });
  expect(await connect(alive)).toMatchObject({ outcome: 'ok' });
  const failed = await ledger.sessions.fail(tenant, sessionId, dead, 0, 'gateway lost', { refuseOwner: true });
  expect(failed).toEqual({ outcome: 'stale' });
  await ledger.sessions.disconnect(tenant, sessionId, alive.id);
  expect(await connect(dead)).toEqual({ outcome: 'owner_dead' });
});
