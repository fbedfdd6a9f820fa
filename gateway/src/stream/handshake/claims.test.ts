import { Claims } from './claims.ts';

test('a session is let go of when the last of its holders does', () => {
  const claims = new Claims();
  claims.take('a');
  claims.take('a');
  claims.take('b');
  expect([claims.release('a'), claims.release('b'), claims.release('a')]).toEqual([false, true, true]);
  claims.take('a');
  expect(claims.release('a')).toBe(true);
});
