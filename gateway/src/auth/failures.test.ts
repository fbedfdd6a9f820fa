import { createAuthFailures } from './failures.ts';

test('an address may fail as often as the limit in a burst, then waits', () => {
  const failures = createAuthFailures(100);
  for (let i = 0; i < 100; i++) {
    expect(failures.blockedS('a', 5000)).toBe(0);
    failures.count('a', 5000);
  }
  expect(failures.blockedS('a', 5000)).toBe(1);
  expect(failures.blockedS('b', 5000)).toBe(0);
  expect(failures.blockedS('a', 5009)).toBe(1);
  expect(failures.blockedS('a', 5010)).toBe(0);
});

test('forgets the longest unseen address, not the busiest', () => {
  const failures = createAuthFailures(1);
  failures.count('first', 0);
  for (let i = 0; i < 99_999; i++) failures.count(`x${i}`, 0);
  failures.count('first', 0);
  failures.count('one more', 0);
  expect(failures.blockedS('first', 0)).toBeGreaterThan(0);
  expect(failures.blockedS('x0', 0)).toBe(0);
  expect(failures.blockedS('x1', 0)).toBeGreaterThan(0);
});
