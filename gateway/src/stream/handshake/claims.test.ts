import { Claims } from './claims.ts';

test('Claims.release returns true only for the last claim of a session', () => {
  const claims = new Claims();
  claims.take('a');
  claims.take('a');
  claims.take('b');
  expect([claims.release('a'), claims.release('b'), claims.release('a')]).toEqual([false, true, true]);
  claims.take('a');
  expect(claims.release('a')).toBe(true);
});
