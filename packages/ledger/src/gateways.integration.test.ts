import { randomUUID } from 'node:crypto';
import { eventually } from '../../../test/support/eventually.ts';
import { createTenant, openLedger, reserved } from '../../../test/support/ledger.ts';
import { startRedis } from '../../../test/support/redis.ts';
import { startRedisCluster } from '../../../test/support/redis-cluster.ts';
import { createRedisKeys } from './keys.ts';
import type { Ledger } from './ledger.ts';
import type { OwnedStream } from './owned-stream.ts';
import type { Owner } from './sessions.ts';

const CREDIT_MS = 60_000;
const raise = (error: unknown) => {
  throw error;
};

describe.each([
  ['one Redis', startRedis],
  ['a Redis Cluster of three nodes', startRedisCluster],
])('gateway processes on %s', (_name, start) => {
  const prefix = `test-${randomUUID()}`;
  const keys = createRedisKeys(prefix);
  let redis: { url: string; stop: () => Promise<void> };
  let ledger: Ledger;

  beforeAll(async () => {
    redis = await start();
    // No lease expires by itself in this test, and a pause of the machine is not mistaken for a step of the clock.
    const times = { processLeaseMs: 600_000, largestTimeStepMs: 600_000, reaperRetryMs: 300 };
    ledger = await openLedger(redis.url, { prefix, ...times });
  });
  afterAll(async () => {
    await ledger.link.close();
    await redis.stop();
  });

  async function stream(owner: Owner): Promise<OwnedStream> {
    const tenant = await createTenant(ledger, CREDIT_MS);
    const { sessionId } = await reserved(ledger, tenant);
    await ledger.gateways.own(owner, { tenant, sessionId });
    await ledger.sessions.connect({ tenant, sessionId, credentialHash: 'hash', owner, connectionId: 'c' });
    return { tenant, sessionId };
  }

  async function expectFailed({ tenant }: OwnedStream): Promise<void> {
    expect(await ledger.accounts.usage(tenant)).toMatchObject({
      balance: { availableMs: CREDIT_MS, reservedMs: 0, consumedMs: 0 },
      recent: [{ state: 'failed', billableMs: 0 }],
    });
  }

  /** Returns the processes that have a lease or are waiting to be reaped. */
  async function known(): Promise<string[]> {
    const lists = [keys.gateways(), `${keys.gateways()}:dead`];
    const members = await Promise.all(lists.map((key) => ledger.link.send(key, ['ZRANGE', key, '0', '-1'])));
    return (members as string[][]).flat();
  }

  test('the reaper fails the unsettled stream of a gateway that called leave(), and does not charge it', async () => {
    const leaving = await ledger.gateways.join('leaving');
    const left = await stream(leaving);
    await ledger.gateways.leave(leaving);
    expect(await ledger.gateways.reapDead(raise)).toBe(1);
    await expectFailed(left);
    expect(await known()).toEqual([]);
    await reserved(ledger, left.tenant);
    expect((await ledger.sessions.settle(left.tenant, left.sessionId, leaving, 16_000, 'late')).outcome).toBe(
      'already',
    );
  });

  test('the reaper removes a gateway that called leave() without open streams, even if leave() is called twice', async () => {
    const staying = await ledger.gateways.join('staying');
    const leaving = await ledger.gateways.join('leaving');
    const kept = await stream(staying);
    await ledger.gateways.leave(leaving);
    expect(await ledger.gateways.reapDead(raise)).toBe(0);
    await ledger.gateways.leave(leaving);
    expect(await known()).toEqual(['staying']);
    expect((await ledger.sessions.settle(kept.tenant, kept.sessionId, staying, 16_000, 'done')).outcome).toBe('ok');
    await ledger.gateways.disown(staying, kept);
    await ledger.gateways.leave(staying);
    expect(await ledger.gateways.reapDead(raise)).toBe(0);
    expect(await known()).toEqual([]);
  });

  test('if the reaper cannot end a stream as failed, it continues with the other streams and retries that stream later', async () => {
    const [first, second] = [await ledger.gateways.join('dead-1'), await ledger.gateways.join('dead-2')];
    const stuck = await stream(first);
    const others = [await stream(first), await stream(first), await stream(second)];
    const session = `${prefix}:{t:${stuck.tenant}}:s:${stuck.sessionId}`;
    await ledger.link.send(session, ['RENAME', session, `${session}:aside`]);
    await ledger.link.send(session, ['SET', session, 'not a session']);
    await ledger.gateways.leave(first);
    await ledger.gateways.leave(second);

    const errors: unknown[] = [];
    expect(await ledger.gateways.reapDead((error) => errors.push(error))).toBe(3);
    expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining('WRONGTYPE') as string })]);
    for (const other of others) await expectFailed(other);
    expect(await known()).toEqual(['dead-1']);
    expect(await ledger.gateways.renew(first)).toBeUndefined();

    await ledger.link.send(session, ['RENAME', `${session}:aside`, session]);
    await eventually(
      'the process is returned again',
      30_000,
      async () => (await ledger.gateways.reapDead(raise)) === 1,
    );
    await expectFailed(stuck);
    expect(await known()).toEqual([]);
  });

  test('gateways.renew() returns the number of further streams that the other live gateways can accept', async () => {
    const [own, other] = [await ledger.gateways.join('own'), await ledger.gateways.join('other')];
    const leaving = await ledger.gateways.join('leaving');
    await ledger.gateways.renew(other, 3);
    await ledger.gateways.renew(leaving, 40);
    expect(await ledger.gateways.renew(own, 500)).toEqual({ freeElsewhere: 43 });
    await ledger.gateways.leave(leaving);
    expect(await ledger.gateways.renew(own, 500)).toEqual({ freeElsewhere: 3 });
    await ledger.gateways.renew(other, 0);
    expect(await ledger.gateways.renew(own, 0)).toEqual({ freeElsewhere: 0 });
    expect(await ledger.gateways.renew(other, 0)).toEqual({ freeElsewhere: 0 });

    // A reaper removes only the lease. The next renewal of any gateway also removes the published number.
    await ledger.gateways.reapDead(raise);
    await ledger.gateways.renew(own, 0);
    const free = `${keys.gateways()}:free`;
    expect(((await ledger.link.send(free, ['HKEYS', free])) as string[]).sort()).toEqual(['other', 'own']);
    for (const owner of [own, other]) await ledger.gateways.leave(owner);
    await ledger.gateways.reapDead(raise);
  });

  test('gateways.renew() returns Infinity as the number of further streams while another live gateway, such as one of the previous version, publishes no such number', async () => {
    const [own, before] = [await ledger.gateways.join('own'), await ledger.gateways.join('before')];
    expect(await ledger.gateways.renew(own, 0)).toEqual({ freeElsewhere: Infinity });
    expect(await ledger.gateways.renew(before)).toEqual({ freeElsewhere: 0 });
    expect(await ledger.gateways.renew(own, 0)).toEqual({ freeElsewhere: Infinity });
    await ledger.gateways.leave(before);
    expect(await ledger.gateways.renew(own, 0)).toEqual({ freeElsewhere: 0 });
    await ledger.gateways.leave(own);
    await ledger.gateways.reapDead(raise);
  });
});
