import { randomUUID } from 'node:crypto';
import { TENANT_PRIORITIES } from '@svc-asr/core';
import type { TenantPriority } from '@svc-asr/core';
import fc from 'fast-check';
import { createTenant, openLedger, reserved, TENANT } from '../../../test/support/ledger.ts';
import { startRedis } from '../../../test/support/redis.ts';
import type { TestRedis } from '../../../test/support/redis.ts';
import { createRedisKeys } from './keys.ts';
import type { Ledger } from './ledger.ts';

/** Time long enough that no lease and no place in a queue expires, however slow the machine is. */
const LONG_MS = 600_000;

interface Waiter {
  session: string;
  tenant: string;
  priority: TenantPriority;
}

/** A stream that got a slot, and the streams that still waited at that time. */
interface Served extends Waiter {
  rivals: readonly Waiter[];
}

const prefix = `test-${randomUUID()}`;
const keys = createRedisKeys(prefix);
let redis: TestRedis;
let ledger: Ledger;
beforeAll(async () => {
  redis = await startRedis();
  ledger = await openLedger(redis.url, { prefix, processLeaseMs: LONG_MS, constants: { QUEUE_TTL_MS: LONG_MS } });
});
afterAll(async () => {
  await ledger.link.close();
  await redis.stop();
});

/** Creates a pool whose only worker has no free slot. Each call of `serve` adds one slot to the worker. */
async function createPool() {
  const model = `m-${randomUUID()}`;
  let slots = 1;
  let waiting: Waiter[] = [];
  await ledger.workers.register(model, { id: 'w', address: 'ws://w', revision: 'r1', slots });
  await ledger.pools.place(model, { sessionId: 'first', tenant: 'first' });
  const keyOf = (name: string) => keys.pool(model).replace(/p$/, name);
  return {
    model,
    join: async (session: string, tenant: string, priority: TenantPriority) => {
      const placement = await ledger.pools.place(model, { sessionId: session, tenant, priority });
      expect(placement.outcome).toBe('wait');
      waiting.push({ session, tenant, priority });
    },
    /** Adds a slot and returns the stream that got it. */
    serve: async (): Promise<Served> => {
      await ledger.workers.renew(model, 'w', ++slots);
      const sessions = waiting.map(({ session }) => session);
      const { changed } = await ledger.pools.renewWaits(model, sessions);
      expect(changed).toHaveLength(1);
      const served = waiting.find(({ session }) => session === changed[0])!;
      waiting = waiting.filter((waiter) => waiter !== served);
      return { ...served, rivals: [...waiting] };
    },
    leave: async (waiter: Waiter) => {
      await ledger.pools.leave(model, waiter.session, waiter.tenant);
      waiting = waiting.filter((other) => other !== waiter);
    },
    waiting: () => waiting,
    load: async () => (await ledger.pools.load(model)).waiting,
    /** Sends a command for a key of the pool. */
    send: (command: string, name: string, ...args: string[]) =>
      ledger.link.send(keyOf(name), [command, keyOf(name), ...args]),
  };
}

type Pool = Awaited<ReturnType<typeof createPool>>;

async function serveAll(pool: Pool): Promise<Served[]> {
  const served: Served[] = [];
  while (pool.waiting().length > 0) served.push(await pool.serve());
  return served;
}

const sessionsOf = (served: readonly Served[]) => served.map(({ session }) => session);

test('new streams are served by priority, but after every four streams of a priority, one waiting stream of a lower priority is served', async () => {
  const pool = await createPool();
  for (const priority of ['low', 'normal', 'high'] as const) {
    for (let at = 0; at < 10; at++) await pool.join(`${priority}-${at}`, `${priority}-${at % 3}`, priority);
  }
  expect(await pool.load()).toBe(30);
  const served = sessionsOf(await serveAll(pool));
  expect(served.map((session) => session.charAt(0)).join('')).toBe('hhhhnhhhhnhhnnlnnnnlnnllllllll');
  for (const priority of TENANT_PRIORITIES) {
    const order = served.filter((session) => session.startsWith(priority));
    // The tenants of a priority are served round-robin.
    expect(order).toEqual(Array.from({ length: 10 }, (_, at) => `${priority}-${at}`));
  }
});

test('in random queues, only a limited number of streams of other priorities is served while a stream waits, and an empty queue leaves no keys', async () => {
  const join = fc.record({ priority: fc.constantFrom(...TENANT_PRIORITIES), tenant: fc.nat(2) });
  const round = fc.record({ joins: fc.array(join, { maxLength: 12 }), slots: fc.nat(8), leaves: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 4 }), async (rounds) => {
      const pool = await createPool();
      const served: Served[] = [];
      let sessions = 0;
      for (const { joins, slots, leaves } of rounds) {
        // A tenant has streams of several priorities if its priority has changed in the meantime.
        for (const { priority, tenant } of joins) await pool.join(String(sessions++), `t${tenant}`, priority);
        const [first] = pool.waiting();
        if (leaves && first !== undefined) await pool.leave(first);
        for (let count = Math.min(slots, pool.waiting().length); count > 0; count--) served.push(await pool.serve());
      }
      served.push(...(await serveAll(pool)));
      expectBoundedWaits(served);
      expect(await pool.load()).toBe(0);
      const names = ['qh', 'q', 'ql'].flatMap((list) => [list, ...[0, 1, 2].map((tenant) => `${list}:t${tenant}`)]);
      const left = await Promise.all(['qs', 'qi', ...names].map((name) => pool.send('EXISTS', name)));
      expect(left.every((count) => count === 0)).toBe(true);
    }),
    { numRuns: 12 },
  );
});

/**
 * For each priority, checks how many streams of other priorities were served in a row while a stream of this priority
 * waited. Also checks that the streams of a tenant and priority were served in the order in which they joined.
 */
function expectBoundedWaits(served: readonly Served[]): void {
  const rank = (priority: TenantPriority) => TENANT_PRIORITIES.indexOf(priority);
  const bounds: Readonly<Record<TenantPriority, number>> = { high: 1, normal: 9, low: 24 };
  for (const priority of TENANT_PRIORITIES) {
    let passed = 0;
    for (const stream of served) {
      const waits = stream.rivals.some((rival) => rival.priority === priority);
      passed = stream.priority === priority || !waits ? 0 : passed + 1;
      expect([priority, passed <= bounds[priority]]).toEqual([priority, true]);
    }
  }
  let inRow = 0;
  for (const { priority, rivals } of served) {
    const lowerWaits = rivals.some((rival) => rank(rival.priority) > rank(priority));
    inRow = priority === 'high' && lowerWaits ? inRow + 1 : 0;
    expect(inRow).toBeLessThanOrEqual(4);
  }
  for (const { tenant, priority } of served) {
    const own = served.filter((stream) => stream.tenant === tenant && stream.priority === priority);
    const order = own.map(({ session }) => Number(session));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  }
}

test('streams that lost their worker are served before new streams of high priority', async () => {
  const pool = await createPool();
  await pool.join('new', 'a', 'high');
  await ledger.workers.remove(pool.model, 'w');
  await ledger.pools.place(pool.model, { sessionId: 'first', tenant: 'first', avoid: ['w'], priority: 'low' });
  await ledger.workers.register(pool.model, { id: 'w2', address: 'ws://w2', revision: 'r1', slots: 1 });
  expect(await ledger.pools.renewWaits(pool.model, ['new', 'first'])).toMatchObject({ changed: ['first'] });
});

test('streams of a draining worker are served before new streams of high priority', async () => {
  const pool = await createPool();
  await pool.join('new', 'a', 'high');
  await ledger.workers.drain(pool.model, 'w');
  const moving = { sessionId: 'first', tenant: 'first', avoid: ['w'], servedBy: 'w', priority: 'low' } as const;
  await ledger.pools.place(pool.model, moving);
  await ledger.workers.register(pool.model, { id: 'w2', address: 'ws://w2', revision: 'r1', slots: 1 });
  expect(await ledger.pools.renewWaits(pool.model, ['new', 'first'])).toMatchObject({ changed: ['first'] });
});

test('queued streams keep their position when the priority of their tenant changes, and only later streams get the new priority', async () => {
  const pool = await createPool();
  await pool.join('b1', 'b', 'normal');
  await pool.join('a1', 'a', 'normal');
  await pool.join('a2', 'a', 'high');
  // The gateway repeats the request, as it does after a notification.
  expect(await ledger.pools.place(pool.model, { sessionId: 'a1', tenant: 'a', priority: 'high' })).toMatchObject({
    outcome: 'wait',
  });
  expect(sessionsOf(await serveAll(pool))).toEqual(['a2', 'b1', 'a1']);
});

test('claim() counts queued streams of high and low priority against the capacity of the pool', async () => {
  const pool = await createPool();
  await ledger.pools.configure(pool.model, { canGrow: true, capacity: 4 });
  for (const priority of ['high', 'low'] as const) await pool.join(priority, priority, priority);
  const claim = (sessionId: string) => ledger.pools.claim(pool.model, sessionId, Date.now() + LONG_MS);
  expect([await claim('fits'), await claim('refused')]).toEqual([true, false]);
});

test('queued streams that are not renewed leave the queue, whatever their priority', async () => {
  const pool = await createPool();
  for (const priority of TENANT_PRIORITIES) {
    await pool.join(`old-${priority}`, priority, priority);
    await pool.join(`new-${priority}`, priority, priority);
    await pool.send('ZADD', 'qs', 'XX', '1', `old-${priority}`);
  }
  expect(await pool.load()).toBe(3);
  await ledger.workers.renew(pool.model, 'w', 4);
  const sessions = TENANT_PRIORITIES.flatMap((priority) => [`new-${priority}`, `old-${priority}`]);
  expect((await ledger.pools.renewWaits(pool.model, sessions)).changed).toEqual(sessions);
  const placements = sessions.map((sessionId) => ledger.pools.place(pool.model, { sessionId, tenant: 't' }));
  const placed = (await Promise.all(placements)).filter(({ outcome }) => outcome === 'placed');
  expect(placed).toHaveLength(3);
});

/** Sends the commands of a gateway of the previous version, which knows only the list `q`. */
const earlierGateway = {
  join: async ({ send }: Pool, session: string, tenant: string) => {
    await send('ZADD', 'qs', String(Date.now()), session);
    if ((await send('RPUSH', `q:${tenant}`, session)) === 1) await send('RPUSH', 'q', tenant);
    await send('HSET', 'qi', session, 'g -');
  },
  leave: async ({ send }: Pool, session: string, tenant: string) => {
    await send('HDEL', 'qi', session);
    await send('ZREM', 'qs', session);
    await send('LREM', `q:${tenant}`, '1', session);
    if ((await send('EXISTS', `q:${tenant}`)) === 0) await send('LREM', 'q', '1', tenant);
  },
};

test('queued streams of gateways of this version and of the previous one are all served, even if they have the same tenant', async () => {
  const pool = await createPool();
  await pool.join('a1', 'a', 'high');
  await earlierGateway.join(pool, 'a2', 'a');
  await pool.join('a3', 'a', 'high');
  // A gateway of the previous version takes the first tenant in `q`, and must find a session of it in `q:TENANT`.
  expect(await pool.send('LRANGE', 'q', '0', '-1')).toEqual(['a']);
  expect(await pool.send('LRANGE', 'q:a', '0', '-1')).toEqual(['a2']);
  pool.waiting().push({ session: 'a2', tenant: 'a', priority: 'normal' });
  expect(sessionsOf(await serveAll(pool))).toEqual(['a1', 'a3', 'a2']);
  expect(await pool.load()).toBe(0);
});

test('a queued stream that a gateway of the previous version removed is not counted, and does not block later streams', async () => {
  const pool = await createPool();
  await pool.join('a1', 'a', 'high');
  await pool.join('a2', 'a', 'high');
  // A gateway of the previous version fails the streams of a gateway whose lease has expired.
  await earlierGateway.leave(pool, 'a1', 'a');
  expect(await pool.load()).toBe(1);
  pool.waiting().shift();
  await pool.join('a3', 'a', 'high');
  expect(sessionsOf(await serveAll(pool))).toEqual(['a2', 'a3']);
  expect(await pool.send('EXISTS', 'qh')).toBe(0);
});

test('connect() returns the priority of the account, and the priority "normal" after configure() has removed it', async () => {
  const tenant = await createTenant(ledger, 600_000, { concurrentSessions: 10, priority: 'high' });
  const connect = async () => {
    const { sessionId } = await reserved(ledger, tenant, { seconds: 1 });
    const owner = { id: 'g', epoch: 1 };
    return ledger.sessions.connect({ tenant, sessionId, credentialHash: 'hash', owner, connectionId: 'c' });
  };
  expect(await connect()).toMatchObject({ outcome: 'ok', priority: 'high' });
  await ledger.accounts.configure(tenant, { ...TENANT, limits: { ...TENANT.limits, concurrentSessions: 10 } });
  expect(await connect()).toMatchObject({ outcome: 'ok', priority: 'normal' });
  expect(await ledger.accounts.read(tenant)).toMatchObject({ priority: 'normal' });
});
