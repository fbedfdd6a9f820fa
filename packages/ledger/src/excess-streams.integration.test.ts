import { randomUUID } from 'node:crypto';
import { openLedger } from '../../../test/support/ledger.ts';
import { startRedis } from '../../../test/support/redis.ts';
import type { TestRedis } from '../../../test/support/redis.ts';
import { createRedisKeys } from './keys.ts';
import type { Ledger } from './ledger.ts';

/** Time long enough that no lease and no place in a queue expires, however slow the machine is. */
const LONG_MS = 600_000;

const prefix = `test-${randomUUID()}`;
const keys = createRedisKeys(prefix);
let redis: TestRedis;
let ledger: Ledger;
let model: string;
beforeAll(async () => {
  redis = await startRedis();
  ledger = await openLedger(redis.url, { prefix, processLeaseMs: LONG_MS, constants: { QUEUE_TTL_MS: LONG_MS } });
});
afterAll(async () => {
  await ledger.link.close();
  await redis.stop();
});
beforeEach(() => {
  model = `m-${randomUUID()}`;
});

const register = (id: string, slots: number) =>
  ledger.workers.register(model, { id, address: `ws://${id}`, revision: 'r1', slots });

/** Requests a worker for a stream and returns its id. Returns undefined if the stream must wait. */
async function place(sessionId: string, request: { avoid?: string[]; servedBy?: string } = {}) {
  const placement = await ledger.pools.place(model, { sessionId, tenant: 't', ...request });
  return placement.outcome === 'placed' ? placement.worker.id : undefined;
}

const leave = (worker: string, session: string) => place(session, { avoid: [worker], servedBy: worker });

/**
 * Creates a worker with `count` streams, lowers its slots to 1, and requests another worker for each of its streams.
 */
async function overload(worker: string, count: number): Promise<string[]> {
  const sessions = Array.from({ length: count }, (_, at) => `${worker}-${at + 100}`);
  await register(worker, count);
  for (const session of sessions) expect(await place(session)).toBe(worker);
  await ledger.workers.renew(model, worker, 1);
  for (const session of sessions) expect(await leave(worker, session)).toBeUndefined();
  return sessions;
}

/** Returns the streams that are no longer queued, because they got a slot. */
const served = async (sessions: string[]) => (await ledger.pools.renewWaits(model, sessions)).changed;

/** Gives excess streams the scores in `qm` that the previous version would have given them. */
async function asBefore(sessions: string[]): Promise<void> {
  const key = keys.pool(model).replace(/p$/, 'qm');
  for (const session of sessions) await ledger.link.send(key, ['ZINCRBY', key, '-1e15', session]);
}

test.each([['this'], ['the previous']])(
  'a stream that lost its worker gets the next free slot, even if %s version queued 70 excess streams (above the slots of their worker) earlier',
  async (version) => {
    const excess = await overload('slow', 70);
    if (version === 'the previous') await asBefore(excess);
    expect(await place('new')).toBeUndefined();
    expect(await place('lost', { avoid: ['failed'] })).toBeUndefined();
    await ledger.workers.renew(model, 'slow', 71);
    expect(await served([...excess, 'new', 'lost'])).toEqual(['lost']);
    expect(await place('lost', { avoid: ['failed'] })).toBe('slow');
  },
);

test('excess streams (above the slots of their worker) get slots only after streams that lost their worker and after new streams', async () => {
  const excess = await overload('slow', 3);
  expect(await place('lost', { avoid: ['failed'] })).toBeUndefined();
  expect(await place('new')).toBeUndefined();
  const all = [...excess, 'new', 'lost'];
  await register('other', 1);
  expect(await served(all)).toEqual(['lost']);
  await ledger.workers.renew(model, 'other', 2);
  expect(await served(['new', ...excess])).toEqual(['new']);
  await ledger.workers.renew(model, 'other', 3);
  expect(await served(excess)).toEqual([excess[0]]);
});

test('excess streams move only until their worker has as many streams as slots', async () => {
  const excess = await overload('slow', 3);
  await register('other', 3);
  expect(await served(excess)).toEqual(excess.slice(0, 2));
  // The third stream stays, because its worker now has one stream and one slot. A repeated request does not change
  // this.
  expect(await leave('slow', excess[2]!)).toBeUndefined();
  await ledger.workers.renew(model, 'slow', 0);
  expect(await served(excess.slice(2))).toEqual(excess.slice(2));
});

test('if a worker has enough slots again, its excess streams stay at this worker, but excess streams of another worker still move', async () => {
  const recovered = await overload('recovered', 40);
  await ledger.workers.renew(model, 'recovered', 40);
  const excess = await overload('slow', 2);
  await register('other', 2);
  const moved: string[] = [];
  for (let call = 0; call < 5; call++) moved.push(...(await served([...recovered, ...excess])));
  expect([...new Set(moved)]).toEqual([excess[0]]);
});

test('when the worker of excess streams starts to drain, these streams get slots before new streams', async () => {
  const [first = '', second = ''] = await overload('slow', 2);
  expect(await place('new')).toBeUndefined();
  await ledger.workers.drain(model, 'slow');
  await register('other', 2);
  expect(await served([first, second, 'new'])).toEqual([first, second]);
});

test('when an excess stream loses its worker, it gets a slot before new streams', async () => {
  const [first = ''] = await overload('slow', 1);
  expect(await place('new')).toBeUndefined();
  await ledger.workers.remove(model, 'slow');
  expect(await place(first, { avoid: ['slow'] })).toBeUndefined();
  await register('other', 1);
  expect(await served([first, 'new'])).toEqual([first]);
});
