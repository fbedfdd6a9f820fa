import { isSignedInternally, INTERNAL_REQUEST_WINDOW_MS, signInternalRequest } from './internal-request.ts';
import { parseKeyring } from './keyring.ts';

const secret = (fill: number) => Buffer.alloc(32, fill).toString('base64');
const ring = parseKeyring(JSON.stringify({ current: 'p2', secrets: { p1: secret(1), p2: secret(2) } }));
const NOW_MS = 1_800_000_000_000;
const REQUEST = { method: 'POST', path: '/internal/v1/x', idempotencyKey: 'once', body: '{"tenant":"acme"}' };
const signed = signInternalRequest(REQUEST, ring, NOW_MS);

test('isSignedInternally accepts a signature with any pepper of the keyring, but only up to INTERNAL_REQUEST_WINDOW_MS before or after its time', () => {
  expect(isSignedInternally(signed, REQUEST, ring, NOW_MS)).toBe(true);
  expect(isSignedInternally(signed, { ...REQUEST, body: Buffer.from(REQUEST.body) }, ring, NOW_MS)).toBe(true);
  const older = signInternalRequest(REQUEST, { ...ring, current: 'p1' }, NOW_MS);
  expect(isSignedInternally(older, REQUEST, ring, NOW_MS)).toBe(true);
  for (const sign of [-1, 1]) {
    const edgeMs = sign * INTERNAL_REQUEST_WINDOW_MS;
    expect(isSignedInternally(signed, REQUEST, ring, NOW_MS + edgeMs)).toBe(true);
    expect(isSignedInternally(signed, REQUEST, ring, NOW_MS + edgeMs + sign)).toBe(false);
  }
});

test.each([
  ['method', { method: 'PUT' }],
  ['path', { path: '/internal/v1/y' }],
  ['idempotency key', { idempotencyKey: 'twice' }],
  ['body', { body: '{"tenant":"other"}' }],
])('isSignedInternally rejects a request whose %s differs from the signed one', (_part, change) => {
  expect(isSignedInternally(signed, { ...REQUEST, ...change }, ring, NOW_MS)).toBe(false);
});

test.each([
  ['no header', undefined],
  ['another scheme', signed.replace('Svc-Asr-Internal', 'Bearer')],
  ['an unknown pepper', signed.replace('p2', 'p9')],
  ['another time', signed.replace(String(NOW_MS), String(NOW_MS + 1))],
  ['a changed signature', `${signed.slice(0, -2)}${signed.endsWith('AA') ? 'BB' : 'AA'}`],
  ['a part of the header', signed.slice(0, -1)],
])('isSignedInternally rejects a request without a valid signature (Authorization: %s)', (_what, header) => {
  expect(isSignedInternally(header, REQUEST, ring, NOW_MS)).toBe(false);
});

test('isSignedInternally rejects a signature of another keyring', () => {
  const other = parseKeyring(JSON.stringify({ current: 'p2', secrets: { p2: secret(3) } }));
  expect(isSignedInternally(signInternalRequest(REQUEST, other, NOW_MS), REQUEST, ring, NOW_MS)).toBe(false);
});
