import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTenant, openLedger, reserved } from '../../../test/support/ledger.ts';
import { startRedis } from '../../../test/support/redis.ts';
import { startRedisCluster } from '../../../test/support/redis-cluster.ts';
import type { Ledger } from './ledger.ts';

const OWNER = { id: 'gateway-1', epoch: 1 };
const OTHER = { id: 'gateway-2', epoch: 1 };

describe.each([
  ['one Redis', () => startRedis()],
  ['a Redis Cluster of three nodes', () => startRedisCluster()],
])('rollback of the connection of a session on %s', (_name, start) => {
  let redis: { url: string; stop: () => Promise<void> };
  let ledger: Ledger;
  let hasty: Ledger;
  beforeAll(async () => {
    redis = await start();
    ledger = await openLedger(redis.url);
    hasty = await openLedger(redis.url, { sessionTtlMs: 5000 });
  });
  afterAll(async () => {
    await ledger.link.close();
    await hasty.link.close();
    await redis.stop();
  });

  async function session(of = ledger) {
    const tenant = await createTenant(of, 60_000);
    const { sessionId } = await reserved(of, tenant);
    const state = async () => (await of.accounts.usage(tenant))!.recent[0]?.state;
    const connect = (connectionId: string = randomUUID(), owner = OWNER) =>
      of.sessions.connect({ tenant, sessionId, credentialHash: 'hash', owner, connectionId });
    const disconnect = (connectionId: string) => of.sessions.disconnect(tenant, sessionId, connectionId);
    return { tenant, sessionId, state, connect, disconnect };
  }

  test('disconnect() makes the session reserved again, so that another gateway can connect it', async () => {
    const { tenant, state, connect, disconnect } = await session();
    await connect('c1');
    expect([await disconnect('c1'), await disconnect('c1')]).toEqual([true, false]);
    expect(await state()).toBe('reserved');
    expect((await ledger.accounts.usage(tenant))!.balance).toMatchObject({ reservedMs: 60_000, availableMs: 0 });
    expect(await connect('c2', OTHER)).toMatchObject({ outcome: 'ok', reservedMs: 60_000 });
  });

  test('connect() is refused if disconnect() was already called for the same connection', async () => {
    const { state, connect, disconnect } = await session();
    expect(await disconnect('c1')).toBe(false);
    expect(await connect('c1')).toEqual({ outcome: 'refused' });
    expect(await state()).toBe('reserved');
    expect((await connect('c2')).outcome).toBe('ok');
  });

  test('disconnect() does not change the state of a session that has another connection or has ended', async () => {
    const { tenant, sessionId, state, connect, disconnect } = await session();
    await connect('c1');
    expect(await disconnect('c2')).toBe(false);
    expect(await state()).toBe('active');
    await ledger.sessions.settle(tenant, sessionId, OWNER, 0, 'done');
    expect(await disconnect('c1')).toBe(false);
    expect(await state()).toBe('completed');
    expect(await ledger.sessions.disconnect(tenant, randomUUID(), 'c1')).toBe(false);
  });

  test('disconnect() expires a session whose credential expired while the session was connected', async () => {
    const { tenant, state, connect, disconnect } = await session(hasty);
    await connect('c1');
    await sleep(5200);
    expect(await disconnect('c1')).toBe(true);
    expect(await state()).toBe('expired');
    expect((await hasty.accounts.usage(tenant))!.balance).toMatchObject({ reservedMs: 0, availableMs: 60_000 });
  });

  test('fail() for a session that was never connected returns not_connected, and the session stays reserved', async () => {
    const { tenant, sessionId, state } = await session();
    expect(await ledger.sessions.fail(tenant, sessionId, OWNER, 0, 'gateway lost')).toEqual({
      outcome: 'not_connected',
    });
    expect(await state()).toBe('reserved');
  });
});
