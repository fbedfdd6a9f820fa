import { TenantPlaces } from './tenant-places.ts';

const REFUSED = expect.objectContaining({
  code: 'concurrency_limit_exceeded',
  status: 429,
  retryAfterS: 1,
  message: 'full',
}) as Error;

test.each([
  [8, 4],
  [5, 3],
  [1, 1],
])('TenantPlaces lets one tenant take half of %i places, rounded up to %i', (places, allowed) => {
  const own = new TenantPlaces(places, 'full');
  for (let count = 0; count < allowed; count++) own.take('a');
  expect(() => own.take('a')).toThrow(REFUSED);
  expect(() => own.take('b')).not.toThrow();
});

test('TenantPlaces ignores the second release of a place', () => {
  const places = new TenantPlaces(4, 'full');
  const release = places.take('a');
  places.take('a');
  release();
  release();
  places.take('a');
  expect(() => places.take('a')).toThrow(REFUSED);
});
