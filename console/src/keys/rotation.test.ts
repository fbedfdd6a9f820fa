import { rotatedExpiry } from './rotation.ts';

const NOW = Date.parse('2026-03-01T00:00:00Z');

test.each([
  ['a key that never expires', null, '2026-01-01T00:00:00Z', null],
  ['a key with a lifetime of 31 days', '2026-02-01T00:00:00Z', '2026-01-01T00:00:00Z', '2026-04-01T00:00:00.000Z'],
  ['a key that lives 31 days minus 5 s', '2026-02-01T00:00:00Z', '2026-01-01T00:00:05Z', '2026-04-01T00:00:00.000Z'],
  ['a key of unknown age', '2026-03-11T00:00:00Z', undefined, '2026-03-11T00:00:00.000Z'],
  [
    'a key whose lifetime is shorter than a day',
    '2026-01-01T01:00:00Z',
    '2026-01-01T00:00:00Z',
    '2026-03-02T00:00:00.000Z',
  ],
])('rotatedExpiry returns the expiry for the replacement of %s', (_, expiresAt, createdAt, expected) => {
  expect(rotatedExpiry(expiresAt, createdAt, NOW)).toBe(expected);
});
