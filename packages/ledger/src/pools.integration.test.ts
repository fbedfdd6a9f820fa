import { randomUUID } from 'node:crypto';
import { connected } from '../../../test/support/connected.ts';
import { eventually } from '../../../test/support/eventually.ts';
import type { Ledger } from './ledger.ts';
import { connectRedis } from './redis/connect.ts';
import type { RedisConnection } from './redis/link.ts';
import type { PlaceRequest } from './pool-types.ts';
import { createTenant, openLedger, reserved } from '../../../test/support/ledger.ts';
import { startRedis } from '../../../test/support/redis.ts';
import { startRedisCluster } from '../../../test/support/redis-cluster.ts';

/** Duration of the leases of workers. It is long enough for several requests on a busy machine. */
const LEASE_MS = 3000;
const QUEUE_TTL_MS = 3000;
const LONG_MS = 600_000;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const raise = (error: unknown) => {
  throw error;
};

describe.each([
  ['one Redis', startRedis],
  ['a Redis Cluster of three nodes', startRedisCluster],
])('pools on %s', (_name, start) => {
  let redis: { url: string; stop: () => Promise<void> };
  let ledger: Ledger;
  let model: string;
  const prefix = `test-${randomUUID()}`;

  beforeAll(async () => {
    redis = await start();
    ledger = await openLedger(redis.url, { prefix, processLeaseMs: LEASE_MS, constants: { QUEUE_TTL_MS } });
  });
  afterAll(async () => {
    await ledger.link.close();
    await redis.stop();
  });
  beforeEach(() => {
    model = `m-${randomUUID()}`;
  });

  /** Returns operations on the pool of a model. */
  const poolOf = (name: string) => {
    const load = async () => {
      const { active, held, waiting, slots, workers } = await ledger.pools.load(name);
      return { active, held, waiting, slots, workers };
    };
    return {
      name,
      load,
      worker: (id: string, slots: number) =>
        ledger.workers.register(name, { id, address: `ws://${id}`, revision: 'r1', slots }),
      place: async (sessionId: string, tenant = 't', avoid: string[] = []) => {
        const placement = await ledger.pools.place(name, { sessionId, tenant, avoid });
        return placement.outcome === 'placed' ? placement.worker.id : undefined;
      },
      /** Waits until the leases of all workers have expired. If the machine pauses, the leases are restarted once. */
      passLease: () => eventually('the leases expire', 10 * LEASE_MS, async () => (await load()).workers === 0),
    };
  };
  /** Returns a pool for a concurrent test. Such a test cannot use `model`, which changes with each test. */
  const ownPool = () => poolOf(`m-${randomUUID()}`);
  const worker = (id: string, slots: number) => poolOf(model).worker(id, slots);
  const place = (sessionId: string, tenant?: string, avoid?: string[]) => poolOf(model).place(sessionId, tenant, avoid);
  const load = () => poolOf(model).load();

  test('contexts() returns the context sizes that a worker reported last, even after all workers were removed, until the pool itself is removed', async () => {
    expect(await ledger.pools.contexts(model)).toEqual([]);
    const report = (id: string, contexts?: [number, number][]) =>
      ledger.workers.register(model, {
        id,
        address: 'ws://w',
        revision: 'r1',
        slots: 1,
        ...(contexts && { contexts }),
      });
    await report('w1', [
      [56, 13],
      [56, 0],
    ]);
    await report('w2');
    for (const id of ['w1', 'w2']) await ledger.workers.remove(model, id);
    expect(await ledger.pools.contexts(model)).toEqual([
      [56, 13],
      [56, 0],
    ]);
    await ledger.pools.remove(model);
    expect(await ledger.pools.contexts(model)).toEqual([]);
  });

  test('place() and list() return all addresses of a worker, and a repeated call of place() returns them again', async () => {
    const addresses = { address: 'ws://w:1', furtherAddresses: ['ws://w:2', 'ws://w:3'] };
    await ledger.workers.register(model, { id: 'w', ...addresses, revision: 'r1', slots: 2 });
    const placed = { outcome: 'placed', worker: { id: 'w', ...addresses, revision: 'r1' } };
    expect(await ledger.pools.place(model, { sessionId: 'a', tenant: 't' })).toEqual(placed);
    expect(await ledger.pools.place(model, { sessionId: 'a', tenant: 't' })).toEqual(placed);
    expect(await ledger.workers.list(model)).toMatchObject([addresses]);
  });

  test('place() returns the address of a worker of the previous version, which has only one', async () => {
    await ledger.workers.register(model, { id: 'w', address: 'ws://w', revision: 'r1', slots: 2 });
    const key = `${prefix}:{m:${model}}:w:w`;
    await ledger.link.send(key, ['HDEL', key, 'further']);
    const worker = { id: 'w', address: 'ws://w', furtherAddresses: [], revision: 'r1' };
    expect(await ledger.pools.place(model, { sessionId: 'a', tenant: 't' })).toEqual({ outcome: 'placed', worker });
    expect(await ledger.workers.list(model)).toMatchObject([{ address: 'ws://w', furtherAddresses: [] }]);
  });

  test('a worker with more streams than slots keeps its streams, and gets new streams only when slots are free again', async () => {
    await worker('w', 3);
    await ledger.pools.configure(model, { canGrow: false });
    for (const session of ['a', 'b', 'c']) expect(await place(session)).toBe('w');
    expect(await ledger.workers.renew(model, 'w', 1)).toBe('ok');
    expect(await ledger.workers.list(model)).toMatchObject([{ slots: 1, measuredSlots: 3, active: 3 }]);
    expect(await load()).toMatchObject({ active: 3, slots: 1 });
    expect(await place('a')).toBe('w');
    await ledger.pools.leave(model, 'a', 't');
    await ledger.pools.leave(model, 'b', 't');
    expect(await place('d')).toBeUndefined();
    await ledger.workers.renew(model, 'w', 2);
    expect(await place('d')).toBe('w');
    expect(await load()).toMatchObject({ active: 2, slots: 2, waiting: 0 });
  });

  test('claim() finds the free slot of one worker while another worker has more streams than slots', async () => {
    await worker('a', 2);
    await ledger.pools.configure(model, { canGrow: false });
    for (const session of ['s1', 's2']) expect(await place(session)).toBe('a');
    await ledger.workers.renew(model, 'a', 1);
    await worker('b', 1);
    const untilMs = Date.now() + 60_000;
    const claim = (sessionId: string) => ledger.pools.claim(model, sessionId, untilMs);
    expect([await claim('s3'), await claim('s4')]).toEqual([true, false]);
  });

  test('a draining worker can change its number of slots, but streams get none of them', async () => {
    await worker('w', 2);
    await ledger.workers.drain(model, 'w');
    expect(await ledger.workers.renew(model, 'w', 5)).toBe('draining');
    expect(await load()).toMatchObject({ slots: 0, workers: 1 });
    expect(await place('a')).toBeUndefined();
  });

  test('place() assigns a stream to the worker with the most free slots, and a repeated call returns the same worker', async () => {
    await worker('small', 1);
    await worker('large', 3);
    expect(await place('a')).toBe('large');
    expect(await place('a')).toBe('large');
    expect(await ledger.workers.list(model)).toMatchObject([
      { id: 'large', active: 1, slots: 3, address: 'ws://large', draining: false },
      { id: 'small', active: 0, slots: 1 },
    ]);
    expect(await load()).toEqual({ active: 1, held: 0, waiting: 0, slots: 4, workers: 2 });
  });

  test('place() assigns every slot only once, and assigns a released slot to the first stream in the queue', async () => {
    await worker('w', 2);
    expect([await place('a'), await place('b'), await place('c'), await place('d')]).toEqual([
      'w',
      'w',
      undefined,
      undefined,
    ]);
    expect(await load()).toMatchObject({ active: 2, waiting: 2 });
    await ledger.pools.leave(model, 'a', 't');
    expect(await place('d')).toBeUndefined();
    expect(await place('c')).toBe('w');
    await ledger.pools.leave(model, 'b', 't');
    expect(await place('d')).toBe('w');
    expect(await load()).toEqual({ active: 2, held: 0, waiting: 0, slots: 2, workers: 1 });
  });

  test('the queue serves the streams of different tenants round-robin', async () => {
    for (const session of ['a1', 'a2', 'a3']) await place(session, 'a');
    await place('b1', 'b');
    const waiting = ['a1', 'a2', 'a3', 'b1'];
    const served: string[] = [];
    for (const id of ['w1', 'w2', 'w3', 'w4']) {
      await worker(id, 1);
      const { changed } = await ledger.pools.renewWaits(model, waiting);
      served.push(...changed.filter((session) => !served.includes(session)));
    }
    expect(served).toEqual(['a1', 'b1', 'a2', 'a3']);
  });

  test.concurrent('a queued stream leaves the queue if its gateway does not renew the stream', async () => {
    const pool = ownPool();
    await pool.place('lost', 'a');
    await pool.place('here', 'b');
    const started = Date.now();
    while (Date.now() < started + QUEUE_TTL_MS + 100) {
      expect(await ledger.pools.renewWaits(pool.name, ['here'])).toEqual({ slots: 0, growth: '', changed: [] });
      await pause(200);
    }
    await pool.worker('w', 1);
    expect(await ledger.pools.renewWaits(pool.name, ['here'])).toEqual({ slots: 1, growth: '', changed: ['here'] });
    expect(await pool.place('here', 'b')).toBe('w');
    expect(await pool.load()).toMatchObject({ waiting: 0 });
    expect(await ledger.pools.renewWaits(pool.name, ['lost'])).toMatchObject({ changed: ['lost'] });
  });

  describe('notifications about assigned slots', () => {
    const gateway = 'g1';
    let messages: string[];
    let subscriber: RedisConnection;
    let unsubscribe: () => Promise<void>;
    const queued = (sessionId: string, request: Partial<PlaceRequest> = {}) =>
      ledger.pools.place(model, { sessionId, tenant: 't', gateway, ...request });

    const untilMessages = (count: number) => eventually(`${count} messages`, 30_000, () => messages.length >= count);
    const named = () => messages.flatMap((message) => message.split(' '));
    const untilNamed = (count: number) => eventually(`${count} named streams`, 30_000, () => named().length >= count);

    let hasty: Ledger;

    beforeAll(async () => {
      subscriber = connectRedis({ url: redis.url, name: 'test', timeoutMs: 5000 });
      await connected(subscriber);
      hasty = ledger;
      // The times are so long that no queued stream and no lease expires, however slow the machine is.
      ledger = await openLedger(redis.url, {
        prefix: `test-${randomUUID()}`,
        processLeaseMs: LONG_MS,
        constants: { QUEUE_TTL_MS: LONG_MS },
      });
    });
    afterAll(async () => {
      await ledger.link.close();
      ledger = hasty;
      await subscriber.close();
    });
    beforeEach(async () => {
      messages = [];
      const channel = ledger.pools.channelOf(model, gateway);
      unsubscribe = await subscriber.subscribe(channel, (message) => messages.push(message));
    });
    afterEach(() => unsubscribe());

    test('name one stream for each released slot, in the order of the queue', async () => {
      await worker('w', 1);
      await queued('a');
      for (const session of ['b', 'c']) expect(await queued(session)).toMatchObject({ outcome: 'wait' });
      await ledger.pools.leave(model, 'a', 't');
      await untilMessages(1);
      await ledger.pools.leave(model, 'b', 't');
      await untilMessages(2);
      expect(messages).toEqual(['b', 'c']);
      expect(await place('c')).toBe('w');
    });

    test('name all streams that get slots of a new worker in one message', async () => {
      for (const session of ['a', 'b', 'c']) await queued(session);
      await worker('w', 2);
      await untilMessages(1);
      expect(messages).toEqual(['a b']);
      expect(await load()).toMatchObject({ active: 2, waiting: 1 });
    });

    test('name streams of a draining or lost worker before new streams', async () => {
      await worker('old', 2);
      await queued('a');
      await queued('b');
      await ledger.workers.drain(model, 'old');
      await queued('new');
      await queued('a', { avoid: ['old'], servedBy: 'old' });
      await queued('b', { avoid: ['old'] });
      expect(await load()).toMatchObject({ active: 1, waiting: 2 });
      await worker('w1', 2);
      await untilMessages(1);
      expect(messages).toEqual(['a b']);
      await worker('w2', 1);
      await untilMessages(2);
      expect(messages).toEqual(['a b', 'new']);
    });

    test('name the hundred streams that lost their worker, but not a new stream, although it entered the queue before them', async () => {
      await worker('old', 100);
      // Streams that join in the same millisecond are served in the order of their ids.
      const moving = Array.from({ length: 100 }, (_, at) => `m${at + 100}`);
      for (const session of moving) await queued(session);
      await ledger.workers.remove(model, 'old');
      await queued('new');
      for (const session of moving) await queued(session, { avoid: ['old'] });
      await worker('w', 100);
      await untilNamed(100);
      expect(named()).toEqual(moving);
      expect(await load()).toMatchObject({ active: 100, waiting: 1 });
    });

    test('name the stream that gets a slot because a worker raised its number of slots', async () => {
      await worker('w', 1);
      await queued('a');
      await queued('b');
      await ledger.workers.renew(model, 'w', 2);
      await untilMessages(1);
      expect(messages).toEqual(['b']);
    });

    test('are sent only to the gateway of the stream', async () => {
      await queued('a', { gateway: 'another' });
      await queued('b');
      await worker('w', 2);
      await untilMessages(1);
      expect(messages).toEqual(['b']);
    });

    test('reach every stream if a new worker has more slots than one script call can assign', async () => {
      const sessions = Array.from({ length: 600 }, (_, at) => `s${at}`);
      for (const session of sessions) await queued(session);
      await worker('w', 600);
      for (let at = 0; at < sessions.length;) {
        await untilNamed(at + 1);
        const next = named().slice(at);
        for (const session of next) await queued(session);
        at += next.length;
      }
      expect(named()).toEqual(sessions);
    });
  });

  test.concurrent('streams of workers whose leases have expired get slots of a new worker', async () => {
    const pool = ownPool();
    await pool.worker('w1', 1);
    expect(await pool.place('a')).toBe('w1');
    expect(await pool.place('waits')).toBeUndefined();
    expect(await pool.place('a', 't', ['w1'])).toBeUndefined();
    expect(await pool.place('waits')).toBe('w1');
    await pool.worker('w2', 1);
    expect(await pool.place('a', 't', ['w1'])).toBe('w2');
    await pool.passLease();
    expect(await ledger.workers.renew(pool.name, 'w1')).toBe('gone');
    expect(await ledger.workers.list(pool.name)).toEqual([]);
    await pool.worker('w3', 5);
    expect(await pool.place('a', 't', ['w1', 'w2'])).toBe('w3');
    expect(await pool.place('waits')).toBe('w3');
    expect(await pool.load()).toMatchObject({ active: 2, slots: 5, workers: 1 });
  });

  test('a draining worker keeps its streams and receives no new ones', async () => {
    await worker('w1', 5);
    await place('a');
    expect(await ledger.workers.renew(model, 'w1')).toBe('ok');
    await ledger.workers.drain(model, 'w1');
    await ledger.workers.drain(model, 'w1');
    expect(await ledger.workers.renew(model, 'w1')).toBe('draining');
    expect(await place('b')).toBeUndefined();
    expect(await place('a')).toBe('w1');
    expect(await load()).toMatchObject({ active: 1, slots: 0, workers: 1 });
    await ledger.workers.remove(model, 'w1');
    expect(await load()).toMatchObject({ slots: 0, workers: 0 });
  });

  test('a stream of a draining worker is counted for this worker, and not as queued, until another worker has a free slot', async () => {
    const next = async (avoid: string[]) => {
      const placement = await ledger.pools.place(model, { sessionId: 'a', tenant: 't', avoid, servedBy: 'old' });
      return placement.outcome === 'placed' ? placement.worker.id : undefined;
    };
    const active = async () => (await ledger.workers.list(model)).map(({ id, active: count }) => [id, count]);
    await worker('old', 2);
    await place('a');
    await ledger.workers.drain(model, 'old');
    expect(await next(['old'])).toBeUndefined();
    expect(await load()).toEqual({ active: 1, held: 0, waiting: 0, slots: 0, workers: 1 });
    expect(await place('b')).toBeUndefined();
    await worker('new', 1);
    expect(await place('b')).toBeUndefined();
    expect(await next(['old'])).toBe('new');
    expect(await next(['old'])).toBe('new');
    await ledger.pools.leave(model, 'b', 't');
    expect(await active()).toEqual(Object.entries({ new: 1, old: 0 }));

    // The new worker has failed, but the draining one still serves the stream.
    expect(await next(['old', 'new'])).toBeUndefined();
    expect(await active()).toEqual(Object.entries({ new: 0, old: 1 }));
    expect(await load()).toEqual({ active: 1, held: 0, waiting: 0, slots: 1, workers: 2 });
    await ledger.workers.remove(model, 'old');
    expect(await next(['old', 'new'])).toBeUndefined();
    expect(await load()).toEqual({ active: 0, held: 0, waiting: 0, slots: 1, workers: 1 });
  });

  test('a stream moves from a worker with too few slots to a second worker, and counts for the first worker again if the second one fails', async () => {
    const next = async (avoid: string[]) => {
      const placement = await ledger.pools.place(model, { sessionId: 'a', tenant: 't', avoid, servedBy: 'slow' });
      return placement.outcome === 'placed' ? placement.worker.id : undefined;
    };
    const active = async () => (await ledger.workers.list(model)).map(({ id, active: count }) => [id, count]);
    await worker('slow', 3);
    for (const session of ['a', 'b', 'c']) await place(session);
    await ledger.workers.renew(model, 'slow', 1);
    expect(await next(['slow'])).toBeUndefined();
    expect(await load()).toEqual({ active: 3, held: 0, waiting: 0, slots: 1, workers: 1 });
    await worker('other', 1);
    expect(await next(['slow'])).toBe('other');
    expect(await active()).toEqual(Object.entries({ other: 1, slow: 2 }));
    expect(await next(['slow', 'other'])).toBeUndefined();
    expect(await active()).toEqual(Object.entries({ other: 0, slow: 3 }));
    // The slow worker gets a new stream only when it has fewer streams than slots.
    await ledger.workers.remove(model, 'other');
    for (const session of ['b', 'c']) await ledger.pools.leave(model, session, 't');
    expect(await place('d')).toBeUndefined();
    await ledger.pools.leave(model, 'a', 't');
    expect(await place('d')).toBe('slow');
  });

  test('a session that holds capacity and then becomes a stream is counted only once', async () => {
    await ledger.pools.claim(model, 'a', Date.now() + 60_000);
    expect(await load()).toMatchObject({ held: 1, waiting: 0, active: 0 });
    await place('a');
    expect(await load()).toMatchObject({ held: 0, waiting: 1, active: 0 });
    await worker('w', 1);
    await place('a');
    expect(await load()).toMatchObject({ held: 0, waiting: 0, active: 1 });
    await ledger.pools.leave(model, 'a', 't');
    expect(await load()).toMatchObject({ held: 0, waiting: 0, active: 0 });
  });

  test('a `place` command that arrives after the stream has left takes neither a slot nor a place in the queue', async () => {
    await worker('w', 1);
    expect(await place('a')).toBe('w');
    await ledger.pools.leave(model, 'a', 't');
    // This `place` command arrives late, for example because its gateway was frozen.
    expect(await place('a')).toBeUndefined();
    expect(await load()).toEqual({ active: 0, held: 0, waiting: 0, slots: 1, workers: 1 });
    expect(await place('b')).toBe('w');
  });

  test('removing a worker releases the slots of its streams, and a `leave` command of such a stream changes nothing afterwards', async () => {
    await worker('w1', 2);
    await place('a');
    await place('b');
    await ledger.workers.remove(model, 'w1');
    expect(await load()).toEqual({ active: 0, held: 0, waiting: 0, slots: 0, workers: 0 });
    await worker('w2', 2);
    expect(await place('a', 't', ['w1'])).toBe('w2');
    await ledger.pools.leave(model, 'b', 't');
    expect(await ledger.workers.list(model)).toMatchObject([{ id: 'w2', active: 1 }]);
  });

  test.concurrent('a worker that registers again after its lease expired has its former streams, except a stream that left the pool in the meantime', async () => {
    const pool = ownPool();
    await pool.worker('w1', 5);
    for (const session of ['a', 'b', 'c']) await pool.place(session);
    await pool.passLease();
    expect(await ledger.workers.renew(pool.name, 'w1')).toBe('gone');
    await ledger.pools.leave(pool.name, 'a', 't');
    await pool.worker('w1', 5);
    expect(await ledger.workers.list(pool.name)).toMatchObject([{ id: 'w1', active: 2 }]);
    await ledger.pools.leave(pool.name, 'b', 't');
    await ledger.pools.leave(pool.name, 'c', 't');
    expect(await ledger.workers.list(pool.name)).toMatchObject([{ id: 'w1', active: 0 }]);
    expect(await pool.load()).toMatchObject({ active: 0 });
  });

  test('a worker that registers again does not count former streams that a gateway of an earlier version left in the list of the worker', async () => {
    await worker('w1', 2);
    await worker('w2', 2);
    expect([await place('a'), await place('b')]).toEqual(['w2', 'w1']);
    const { link } = ledger;
    const streams = `${prefix}:{m:${model}}:ws:w1`;
    // The stream `left` has ended and `a` has moved to w2. A gateway of an earlier version has not removed them.
    await link.send(streams, ['SADD', streams, 'left', 'a']);
    await worker('w1', 2);
    expect(await ledger.workers.list(model)).toMatchObject([{ active: 1 }, { active: 1 }]);
    expect(await link.send(streams, ['SMEMBERS', streams])).toEqual(['b']);
    expect(await place('c', 't', ['w2'])).toBe('w1');
  });

  test.concurrent('another gateway fails the streams of a dead gateway only once, without a charge', async () => {
    const pool = ownPool();
    const tenant = await createTenant(ledger, 60_000);
    const alive = await ledger.gateways.join('alive');
    const dead = await ledger.gateways.join('dead');
    expect(dead.epoch).toBeGreaterThan(alive.epoch);
    const { sessionId } = await reserved(ledger, tenant, { model: pool.name });
    await pool.worker('w', 1);
    await ledger.gateways.own(dead, { tenant, sessionId });
    await ledger.sessions.connect({ tenant, sessionId, credentialHash: 'hash', owner: dead, connectionId: 'c' });
    await pool.place(sessionId, tenant);
    const reap = async () => {
      expect(await ledger.gateways.renew(alive)).toBeDefined();
      return ledger.gateways.reapDead(raise);
    };
    let failed = 0;
    for (const untilMs = Date.now() + 30_000; failed === 0 && Date.now() < untilMs; await pause(100))
      failed = await reap();
    expect(failed).toBe(1);
    expect(await reap()).toBe(0);
    expect((await ledger.accounts.usage(tenant))!).toMatchObject({
      balance: { availableMs: 60_000, reservedMs: 0 },
      recent: [{ state: 'failed', billableMs: 0 }],
    });
    expect(await ledger.gateways.renew(dead)).toBeUndefined();
    expect((await ledger.sessions.settle(tenant, sessionId, dead, 16_000, 'late')).outcome).toBe('already');
    expect(await pool.load()).toMatchObject({ active: 0 });
    await ledger.gateways.leave(alive);
  });
});
