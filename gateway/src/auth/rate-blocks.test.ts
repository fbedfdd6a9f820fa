import type { Admission } from '@svc-asr/ledger';
import { RateBlocks } from './rate-blocks.ts';

const refused = (retryAfterMs: number, changes: Partial<Admission> = {}): Admission => ({
  state: 'Active',
  allowed: false,
  rate: { limit: 600, remaining: 0, resetS: 60 },
  retryAfterMs,
  ...changes,
});

/** Adds the same refusal several times. */
function add(blocks: RateBlocks, admission: Admission, times = 10, tenant = 'a', sinceMs = 1000): void {
  for (let count = 0; count < times; count++) blocks.add(tenant, admission, sinceMs);
}

test('RateBlocks lets Redis decide about the first ten refused requests of a tenant', () => {
  const blocks = new RateBlocks();
  add(blocks, refused(100), 9);
  expect(blocks.find('a', 1000)).toBeUndefined();
  add(blocks, refused(100), 1);
  expect(blocks.find('a', 1000)).toBeDefined();
  expect(blocks.find('b', 1000)).toBeUndefined();
});

test('if the next request of a tenant is allowed within a second, RateBlocks refuses the tenant until 1 ms before that time', () => {
  const blocks = new RateBlocks();
  add(blocks, refused(100));
  expect(blocks.find('a', 1098)).toEqual({
    state: 'Active',
    allowed: false,
    retryAfterMs: 2,
    rate: { limit: 600, remaining: 0, resetS: 60 },
  });
  expect(blocks.find('a', 1099)).toBeUndefined();
});

test('RateBlocks refuses a tenant for at most a second and then lets Redis decide, even if the next request is allowed only later', () => {
  const blocks = new RateBlocks();
  add(blocks, refused(60_000));
  expect(blocks.find('a', 1999)).toMatchObject({ retryAfterMs: 59_001, rate: { resetS: 60 } });
  expect(blocks.find('a', 2000)).toBeUndefined();
});

test('RateBlocks lets Redis decide again about a tenant that got no refusal for ten seconds', () => {
  const blocks = new RateBlocks();
  add(blocks, refused(100));
  blocks.add('a', refused(100), 11_000);
  expect(blocks.find('a', 11_000)).toBeUndefined();
});

test.each([
  ['an allowed request', refused(0, { allowed: true })],
  ['a refusal because the account is not active', refused(5000, { state: 'Suspended' })],
  ['a refusal if the next request is allowed in a millisecond', refused(1)],
])('RateBlocks does not refuse a tenant after %s', (_name, admission) => {
  const blocks = new RateBlocks();
  add(blocks, admission);
  expect(blocks.find('a', 1000)).toBeUndefined();
});

test('RateBlocks forgets the oldest of more than 10,000 tenants', () => {
  const blocks = new RateBlocks();
  for (let n = 0; n <= 10_000; n++) add(blocks, refused(500), 10, `t-${n}`);
  expect(blocks.find('t-0', 1000)).toBeUndefined();
  expect(blocks.find('t-1', 1000)).toBeDefined();
});
