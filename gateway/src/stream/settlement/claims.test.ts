import { Claims } from './claims.ts';

const OWNER = { id: 'gateway-1', epoch: 1 };
const stream = (sessionId: string) => ({ tenant: 'acme', sessionId });

test('Claims.release returns true only when it releases the last remaining claim of a session', () => {
  const claims = new Claims();
  for (const id of ['a', 'a', 'b']) claims.take(stream(id), OWNER);
  expect([claims.release('a'), claims.release('b'), claims.release('a')]).toEqual([false, true, true]);
  claims.take(stream('a'), OWNER);
  expect(claims.release('a')).toBe(true);
});

test('Claims.heldBy returns a stream of the owner until the last claim on this stream is released', () => {
  const claims = new Claims();
  for (const id of ['a', 'a', 'b']) claims.take(stream(id), OWNER);
  claims.take(stream('c'), { id: 'gateway-2', epoch: 2 });
  for (const id of ['a', 'b']) claims.release(id);
  expect(claims.heldBy(OWNER).list()).toEqual([stream('a')]);
  claims.release('a');
  expect(claims.heldBy(OWNER).list()).toEqual([]);
});
