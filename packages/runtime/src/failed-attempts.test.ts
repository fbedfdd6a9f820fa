import { createAttemptLimiter, networkOf } from './failed-attempts.ts';

test('the attempt limiter allows `limit` failures without a pause, then one more after each windowMs / limit', () => {
  const limiter = createAttemptLimiter(10, 60_000);
  for (let n = 0; n < 10; n++) {
    expect(limiter.waitMs('10.0.0.1', 0)).toBe(0);
    limiter.fail('10.0.0.1', 0);
  }
  expect(limiter.waitMs('10.0.0.1', 0)).toBe(6000);
  expect(limiter.waitMs('10.0.0.1', 5999)).toBe(1);
  expect(limiter.waitMs('10.0.0.1', 6000)).toBe(0);
  limiter.fail('10.0.0.1', 6000);
  expect(limiter.waitMs('10.0.0.1', 6000)).toBe(6000);
});

test('the attempt limiter counts each address separately', () => {
  const limiter = createAttemptLimiter(1, 60_000);
  limiter.fail('10.0.0.1', 0);
  expect([limiter.waitMs('10.0.0.1', 0), limiter.waitMs('10.0.0.2', 0)]).toEqual([60_000, 0]);
});

test('the attempt limiter allows the full limit again after a window without failures', () => {
  const limiter = createAttemptLimiter(2, 60_000);
  limiter.fail('a', 0);
  limiter.fail('a', 0);
  limiter.fail('a', 60_000);
  expect(limiter.waitMs('a', 60_000)).toBe(0);
});

test('the attempt limiter forgets the oldest addresses if there are too many, so that its memory does not grow', () => {
  const limiter = createAttemptLimiter(1, 60_000);
  for (let n = 0; n <= 100_000; n++) limiter.fail(`host-${n}`, 0);
  expect([limiter.waitMs('host-0', 0), limiter.waitMs('host-1', 0)]).toEqual([0, 60_000]);
});

test.each([
  ['10.0.0.1', '10.0.0.1'],
  ['::ffff:10.0.0.1', '10.0.0.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['', ''],
])('networkOf maps the address %s to %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
