import { parseKeyring } from '@svc-asr/runtime';
import { readSession, writeSession } from './session.ts';

const secret = (byte: number) => Buffer.alloc(32, byte).toString('base64');
const peppers = parseKeyring(JSON.stringify({ current: 'p1', secrets: { p1: secret(1) } }));
const rotated = parseKeyring(JSON.stringify({ current: 'p2', secrets: { p1: secret(1), p2: secret(2) } }));
const replaced = parseKeyring(JSON.stringify({ current: 'p2', secrets: { p2: secret(2) } }));
const session = {
  id: 'fedcba9876543210',
  tenant: 'acme-0a1b2c',
  linkId: '0123456789abcdef',
  expiresAtMs: 1_800_000_000_000,
};
const cookie = writeSession(session, peppers);

test('readSession returns the session that was written, also after the current pepper changed', () => {
  expect(readSession(cookie, peppers)).toEqual(session);
  expect(readSession(cookie, rotated)).toEqual(session);
});

test.each([
  ['tenant', cookie.replace('acme', 'acne')],
  ['link', cookie.replace('0123', '1123')],
  ['id', cookie.replace('fedc', 'eedc')],
  ['expiry', cookie.replace('.18', '.19')],
  ['signature', `${cookie.slice(0, -2)}${cookie.endsWith('AA') ? 'BA' : 'AA'}`],
])('readSession reports a forgery if the %s was changed', (_part, changed) => {
  expect(changed).not.toBe(cookie);
  expect(readSession(changed, peppers)).toBe('forged');
});

test('readSession returns undefined if the pepper of the session was removed', () => {
  expect(readSession(cookie, replaced)).toBeUndefined();
});

test.each(['', 'acme', `acme.${'x'.repeat(32)}`, `${cookie}x`, cookie.replace('acme', 'Acme')])(
  'readSession returns undefined for %j, which is not a session',
  (text) => {
    expect(readSession(text, peppers)).toBeUndefined();
  },
);
