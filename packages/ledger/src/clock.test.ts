import { createClock } from './clock.ts';

test('the ledger clock continues from the time that Redis returned last, whatever the time of the local clock is', () => {
  let localMs = 50;
  const clock = createClock(() => localMs);
  clock.observe(1000);
  localMs += 20;
  expect(clock.now()).toBe(1020);
});

test('the ledger clock ignores a step of the local clock after the ledger clock has observed the time of Redis', () => {
  const clock = createClock();
  clock.observe(1000);
  const { now } = Date;
  const aheadMs = now() + 3_600_000;
  Date.now = () => aheadMs;
  try {
    expect(clock.now()).toBeLessThan(3_600_000);
  } finally {
    Date.now = now;
  }
});

test('the ledger clock returns the time of the local clock until it has observed the time of Redis', () => {
  const beforeMs = Date.now();
  // The monotonic clock starts at the time of the local clock, which may be adjusted later.
  expect(Math.abs(createClock().now() - beforeMs)).toBeLessThan(3_600_000);
});
