import { expiryOf } from './expiry.ts';

const now = Date.parse('2026-01-01T00:00:00.000Z');

test.each([
  [{}, null],
  [{ expires_at: null }, null],
  [{ expires_in_days: 1 }, '2026-01-02T00:00:00.000Z'],
  [{ expires_in_days: 90 }, '2026-04-01T00:00:00.000Z'],
  [{ expires_at: '2026-01-01T00:00:00.001Z' }, '2026-01-01T00:00:00.001Z'],
  [{ expires_at: '2026-06-01T03:00:00+03:00' }, '2026-06-01T00:00:00.000Z'],
])('expiryOf returns the expiry of %j as %s', (request, expected) => {
  expect(expiryOf(request, now)).toBe(expected);
});

test.each([
  [{ expires_at: '2026-01-01T00:00:00Z' }, 'must be in the future'],
  [{ expires_at: '2026-01-01T02:00:00+03:00' }, 'must be in the future'],
  [{ expires_at: 'soon' }, 'must be in the future'],
  [{ expires_in_days: 1, expires_at: '2027-01-01T00:00:00Z' }, 'not both'],
])('expiryOf rejects %j', (request, message) => {
  expect(() => expiryOf(request, now)).toThrow(message);
});
