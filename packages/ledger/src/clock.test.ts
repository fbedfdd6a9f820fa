import { createClock } from './clock.ts';

test('a clock follows the time that Redis returned last, whatever the local clock is', () => {
  let localMs = 50;
  const clock = createClock(() => localMs);
  clock.observe(1000);
  localMs += 20;
  expect(clock.now()).toBe(1020);
});

test('a clock that has observed the time of Redis ignores a step of the local clock', () => {
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

test('before it has observed a time of Redis, a clock returns the time of the local clock', () => {
  const beforeMs = Date.now();
  // The monotonic clock starts with the local clock, which may be adjusted later.
  expect(Math.abs(createClock().now() - beforeMs)).toBeLessThan(3_600_000);
});
