import { randomUUID } from 'node:crypto';
import { createTenant, openLedger } from '../../../test/support/ledger.ts';
import { startRedis } from '../../../test/support/redis.ts';
import { startRedisCluster } from '../../../test/support/redis-cluster.ts';
import { createRedisKeys } from './keys.ts';
import type { Ledger } from './ledger.ts';
import type { Refusal } from './refusals.ts';

const DAY_MS = 86_400_000;

describe.each([
  ['one Redis', startRedis],
  ['a Redis Cluster of three nodes', startRedisCluster],
])('refused requests on %s', (_name, start) => {
  let redis: { url: string; stop: () => Promise<void> };
  let ledger: Ledger;
  const prefix = `refusals-${randomUUID()}`;
  const keys = createRedisKeys(prefix);
  beforeAll(async () => {
    redis = await start();
    ledger = await openLedger(redis.url, { prefix });
  });
  afterAll(async () => {
    await ledger.link.close();
    await redis.stop();
  });

  const refusal = (changes: Partial<Refusal> = {}): Refusal => ({
    atMs: Date.now(),
    requestId: randomUUID(),
    method: 'POST',
    path: '/v1/asr/sessions',
    status: 402,
    code: 'insufficient_credits',
    message: undefined,
    keyId: '8fK2pQ9xLm',
    model: null,
    ...changes,
  });

  test('list() returns the refusals that were added, newest first', async () => {
    const tenant = await createTenant(ledger, 0);
    expect(await ledger.refusals.list(tenant)).toEqual([]);
    const now = Date.now();
    const [first, second] = [
      refusal({ atMs: now - 20, message: 'tenant: must be one of a, b', model: 'svc-asr-kikuyu-v1' }),
      refusal({ atMs: now - 10, keyId: null }),
    ];
    const late = refusal({ atMs: now - 15 });
    await ledger.refusals.add(tenant, [first, second]);
    await ledger.refusals.add(tenant, [late]);
    await ledger.refusals.add(tenant, []);
    expect(await ledger.refusals.list(tenant)).toEqual([second, late, first]);
    expect(await ledger.refusals.list(await createTenant(ledger, 0))).toEqual([]);
  });

  test('refusals of a tenant are kept for 7 days, but at most the newest 200', async () => {
    const tenant = await createTenant(ledger, 0);
    const now = Date.now();
    const all = Array.from({ length: 201 }, (_, at) => refusal({ atMs: now - 201 + at }));
    await ledger.refusals.add(tenant, all.slice(0, 150));
    await ledger.refusals.add(tenant, all.slice(150));
    expect(await ledger.refusals.list(tenant)).toEqual(all.slice(1).reverse());
    const key = keys.refusals(tenant);
    const keptMs = async () => Number(await ledger.link.send(key, ['PTTL', key]));
    expect(await keptMs()).toBeGreaterThan(7 * DAY_MS - 60_000);
    expect(await keptMs()).toBeLessThanOrEqual(7 * DAY_MS);
    expect(await ledger.refusals.list(tenant, now + 7 * DAY_MS - 100)).toHaveLength(99);
    expect(await ledger.refusals.list(tenant, now + 7 * DAY_MS)).toEqual([]);
  });

  test('no refusal is stored for a tenant without an account, and the refusals of a deleted tenant expire with its account', async () => {
    await ledger.refusals.add('nobody', [refusal()]);
    expect(await ledger.refusals.list('nobody')).toEqual([]);
    const tenant = await createTenant(ledger, 0);
    await ledger.refusals.add(tenant, [refusal()]);
    const hasty = await openLedger(redis.url, { prefix, retentionMs: 60_000 });
    await hasty.accounts.close(tenant);
    await hasty.link.close();
    const key = keys.refusals(tenant);
    expect(Number(await ledger.link.send(key, ['PTTL', key]))).toBeLessThanOrEqual(60_000);
  });
});
