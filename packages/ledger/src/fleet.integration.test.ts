import { randomUUID } from 'node:crypto';
import { openLedger } from '../../../test/support/ledger.ts';
import { startRedis } from '../../../test/support/redis.ts';
import type { Ledger } from './ledger.ts';

let redis: Awaited<ReturnType<typeof startRedis>>;
let ledger: Ledger;

beforeAll(async () => (redis = await startRedis()));
afterAll(() => redis.stop());
beforeEach(async () => (ledger = await openLedger(redis.url, { prefix: `test-${randomUUID()}` })));
afterEach(() => ledger.link.close());

const worker = (id: string, slots: number) => ({ id, address: `ws://${id}`, revision: 'r1', slots });

test('fleet.pool() returns the workers, stream counts and revision shares of a model, with the same counts as pools.load()', async () => {
  await ledger.workers.register('kikuyu', worker('a', 1));
  await ledger.workers.register('kikuyu', { ...worker('b', 4), device: 'H200', tier: 'spot' });
  await ledger.workers.drain('kikuyu', 'b');
  await ledger.revisions.weigh('kikuyu', new Map([['r1', 90], ['r2', 10]])); // prettier-ignore
  for (let streams = 0; streams < 3; streams++) {
    await ledger.pools.place('kikuyu', { sessionId: randomUUID(), tenant: 'acme' });
  }
  const pool = await ledger.fleet.pool('kikuyu');
  expect(pool).toEqual({
    workers: [
      { id: 'a', revision: 'r1', slots: 1, active: 1, draining: false, device: null, tier: null },
      { id: 'b', revision: 'r1', slots: 4, active: 0, draining: true, device: 'H200', tier: 'spot' },
    ],
    slots: 1,
    active: 1,
    held: 0,
    waiting: 2,
    refused: 0,
    shares: [
      { revision: 'r1', percent: 90 },
      { revision: 'r2', percent: 10 },
    ],
  });
  const { active, held, waiting, refused, slots, workers } = await ledger.pools.load('kikuyu');
  expect({ active, held, waiting, refused, slots, workers }).toEqual({
    active: pool.active,
    held: pool.held,
    waiting: pool.waiting,
    refused: pool.refused,
    slots: pool.slots,
    workers: pool.workers.length,
  });
});

test('fleet.pool() returns an empty pool for an unknown model', async () => {
  expect(await ledger.fleet.pool('none')).toMatchObject({ workers: [], slots: 0, active: 0, waiting: 0, shares: [] });
});

test('fleet.gateways() returns the number of streams of each gateway with a valid lease', async () => {
  const [first, second] = [await ledger.gateways.join('g-1'), await ledger.gateways.join('g-2')];
  await ledger.gateways.renew(first, 40);
  await ledger.gateways.own(first, { tenant: 'acme', sessionId: randomUUID() });
  expect(await ledger.fleet.gateways()).toEqual([
    { id: 'g-1', streams: 1, freeStreams: 40, leaseUntilMs: expect.any(Number) },
    { id: 'g-2', streams: 0, freeStreams: null, leaseUntilMs: expect.any(Number) },
  ]);
  await ledger.gateways.leave(second);
  expect((await ledger.fleet.gateways()).map(({ id }) => id)).toEqual(['g-1']);
});
