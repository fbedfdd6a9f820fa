import { randomUUID } from 'node:crypto';
import type { Ledger } from './ledger.ts';
import { openLedger } from '../../../test/support/ledger.ts';
import { startRedis } from '../../../test/support/redis.ts';
import { startRedisCluster } from '../../../test/support/redis-cluster.ts';

const weights = (shares: Record<string, number>) => new Map(Object.entries(shares));

describe.each([
  ['one Redis', startRedis],
  ['a Redis Cluster of three nodes', startRedisCluster],
])('revisions on %s', (_name, start) => {
  let redis: { url: string; stop: () => Promise<void> };
  let ledger: Ledger;
  let model: string;

  beforeAll(async () => {
    redis = await start();
    ledger = await openLedger(redis.url);
  });
  afterAll(async () => {
    await ledger.link.close();
    await redis.stop();
  });
  beforeEach(() => {
    model = `m-${randomUUID()}`;
  });

  const worker = (id: string, revision: string, slots: number, tier?: string) =>
    ledger.workers.register(model, { id, address: `ws://${id}`, revision, slots, ...(tier !== undefined && { tier }) });
  const place = async (avoid: string[] = []) => {
    const sessionId = randomUUID();
    const placement = await ledger.pools.place(model, { sessionId, tenant: 't', avoid });
    if (placement.outcome === 'placed') {
      const { id, revision } = placement.worker;
      return { sessionId, id, revision };
    }
    await ledger.pools.leave(model, sessionId, 't');
    return { sessionId, id: undefined, revision: undefined };
  };
  const share = async (revision: string, of: number) => {
    const placed = await Promise.all(Array.from({ length: of }, () => place()));
    return (100 * placed.filter((each) => each.revision === revision).length) / of;
  };

  test('each revision receives its configured share of new sessions', async () => {
    await worker('old', 'r1', 1000);
    await worker('new', 'r2', 1000);
    await ledger.revisions.weigh(model, weights({ r2: 20, r1: 80 }));
    const percent = await share('r2', 400);
    expect(percent).toBeGreaterThan(10);
    expect(percent).toBeLessThan(30);
    await ledger.revisions.weigh(model, weights({ r2: 100, r1: 0 }));
    expect(await share('r2', 50)).toBe(100);
  });

  test('a session whose revision has no free slot gets a slot of another revision and stays there', async () => {
    await worker('old', 'r1', 10);
    await ledger.revisions.weigh(model, new Map([['r2', 100]]));
    const { sessionId, revision } = await place();
    expect(revision).toBe('r1');
    await worker('new', 'r2', 1);
    expect((await place()).revision).toBe('r2');
    expect((await place()).revision).toBe('r1');
    const again = await ledger.pools.place(model, { sessionId, tenant: 't', avoid: [] });
    expect(again).toMatchObject({ worker: { id: 'old', revision: 'r1' } });
    expect((await place(['old', 'new'])).revision).toBeUndefined();
  });

  test('the free slots of a revision are counted correctly after a stream leaves, and when a worker changes its revision, drains or is removed', async () => {
    await worker('w', 'r1', 1);
    await ledger.revisions.weigh(model, new Map([['r1', 100]]));
    const { sessionId } = await place();
    expect((await place()).revision).toBeUndefined();
    await ledger.pools.leave(model, sessionId, 't');
    await worker('w', 'r2', 5);
    expect((await place()).revision).toBe('r2');
    await ledger.workers.drain(model, 'w');
    expect((await place()).revision).toBeUndefined();
    await ledger.workers.remove(model, 'w');
    expect((await place()).revision).toBeUndefined();
  });

  test('a session gets a slot of the first tier with a free slot, or, if no tier has one, a slot of a worker without a configured tier', async () => {
    await ledger.pools.configure(model, { canGrow: false, tiers: ['reserved', 'spot'] });
    await worker('untiered', 'r1', 9);
    await worker('removed', 'r1', 5, 'cpu');
    await worker('spot', 'r1', 3, 'spot');
    await worker('reserved', 'r1', 1, 'reserved');
    const { sessionId, id } = await place();
    expect(id).toBe('reserved');
    expect((await place()).id).toBe('spot');
    await ledger.pools.leave(model, sessionId, 't');
    expect((await place()).id).toBe('reserved');
    expect((await place(['spot'])).id).toBe('untiered');
    expect((await ledger.workers.list(model)).map(({ tier }) => tier)).toEqual(['cpu', 'reserved', 'spot', undefined]);
  });

  test('a changed order of the tiers applies to the next session', async () => {
    await worker('a', 'r1', 5, 'a');
    await worker('b', 'r1', 5, 'b');
    await ledger.pools.configure(model, { canGrow: false, tiers: ['a', 'b'] });
    expect((await place()).id).toBe('a');
    await ledger.pools.configure(model, { canGrow: false, tiers: ['b', 'a'] });
    expect((await place()).id).toBe('b');
  });

  test('a session prefers a worker of its revision to a worker of a preferred tier', async () => {
    await ledger.pools.configure(model, { canGrow: false, tiers: ['reserved', 'spot'] });
    await worker('old', 'r1', 5, 'reserved');
    await worker('new-spot', 'r2', 5, 'spot');
    await ledger.revisions.weigh(model, new Map([['r2', 100]]));
    expect((await place()).id).toBe('new-spot');
    await worker('new-reserved', 'r2', 1, 'reserved');
    expect((await place()).id).toBe('new-reserved');
    expect((await place()).id).toBe('new-spot');
  });

  test('the free slots of a tier are counted correctly after a stream leaves, and when a worker changes its tier, drains or is removed', async () => {
    await ledger.pools.configure(model, { canGrow: false, tiers: ['reserved', 'spot'] });
    await worker('w', 'r1', 1, 'reserved');
    await worker('other', 'r1', 9, 'spot');
    const { sessionId } = await place();
    await ledger.pools.leave(model, sessionId, 't');
    expect((await place()).id).toBe('w');
    expect((await place()).id).toBe('other');
    await worker('w', 'r1', 3, 'spot');
    expect((await place()).id).toBe('other');
    await worker('w', 'r1', 3, 'reserved');
    expect((await place()).id).toBe('w');
    await ledger.workers.drain(model, 'w');
    expect((await place()).id).toBe('other');
    await ledger.workers.remove(model, 'w');
    expect((await place()).id).toBe('other');
  });

  test('the stream counts of several gateways are added up for each revision, and are deleted with the revision', async () => {
    await ledger.revisions.add(model, 'r1', { streams: 2, failures: 1, latencies: [0, 3, 0, 1] });
    await ledger.revisions.add(model, 'r1', { streams: 1, failures: 0, latencies: [] });
    await ledger.revisions.add(model, 'r2', { streams: 0, failures: 0, latencies: [4] });
    expect(await ledger.revisions.counts(model)).toEqual(
      new Map([
        ['r1', { streams: 3, failures: 1, latencies: [0, 3, 0, 1] }],
        ['r2', { streams: 0, failures: 0, latencies: [4] }],
      ]),
    );
    await ledger.revisions.weigh(model, new Map([['r2', 100]]));
    expect([...(await ledger.revisions.counts(model)).keys()]).toEqual(['r2']);
  });
});
