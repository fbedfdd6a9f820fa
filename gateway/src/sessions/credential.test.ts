import { parseKeyring } from '@svc-asr/runtime';
import { credentialHash, readCredential, sessionCredential } from './credential.ts';

const secret = (fill: number) => Buffer.alloc(32, fill).toString('base64');
const ring = parseKeyring(JSON.stringify({ current: 's2', secrets: { s1: secret(1), s2: secret(2) } }));
const EXPIRES_AT_MS = 1_800_000_000_000;
const SUBJECT = { tenant: 'acme-radio', sessionId: 'session-1' };

test('sessionCredential returns the same valid WebSocket subprotocol for the same input, with the tenant and the expiry in it', () => {
  const credential = sessionCredential(ring, 's2', SUBJECT, EXPIRES_AT_MS)!;
  expect(credential).toBe(sessionCredential(ring, 's2', SUBJECT, EXPIRES_AT_MS));
  expect(credential).toMatch(/^svc\.auth\.[A-Za-z0-9_-]+$/);
  expect(readCredential(ring, credential, 'session-1')).toEqual({
    tenant: 'acme-radio',
    expiresAtMs: EXPIRES_AT_MS,
    hash: credentialHash(ring, 's2', SUBJECT),
  });
});

test('credentialHash differs by session, tenant and secret, and is not part of the credential', () => {
  const stored = credentialHash(ring, 's2', SUBJECT)!;
  const others = [
    credentialHash(ring, 's1', SUBJECT),
    credentialHash(ring, 's2', { ...SUBJECT, tenant: 'other' }),
    credentialHash(ring, 's2', { ...SUBJECT, sessionId: 'session-2' }),
  ];
  expect(new Set([stored, ...others]).size).toBe(4);
  expect(sessionCredential(ring, 's2', SUBJECT, EXPIRES_AT_MS)).not.toContain(stored);
  expect(credentialHash(ring, 's3', SUBJECT)).toBeUndefined();
});

test('sessionCredential returns undefined for an unknown secret id, and readCredential accepts an older secret', () => {
  expect(sessionCredential(ring, 's3', SUBJECT, EXPIRES_AT_MS)).toBeUndefined();
  const older = sessionCredential(ring, 's1', SUBJECT, EXPIRES_AT_MS)!;
  expect(readCredential(ring, older, 'session-1')).toMatchObject({ tenant: 'acme-radio' });
});

test('readCredential rejects a malformed credential, and a credential for another session, tenant or expiry', () => {
  const credential = sessionCredential(ring, 's2', SUBJECT, EXPIRES_AT_MS)!;
  expect(readCredential(ring, credential, 'session-2')).toBeUndefined();
  expect(readCredential(ring, credential.slice(0, -3), 'session-1')).toBeUndefined();
  expect(readCredential(ring, `x${credential}`, 'session-1')).toBeUndefined();
  const replaced = (from: string, to: string) => {
    const text = Buffer.from(credential.slice(9), 'base64url').toString('latin1');
    return `svc.auth.${Buffer.from(text.replace(from, to), 'latin1').toString('base64url')}`;
  };
  expect(readCredential(ring, replaced('x', 'x'), 'session-1')).toBeDefined();
  expect(readCredential(ring, replaced('acme', 'evil'), 'session-1')).toBeUndefined();
  expect(readCredential(ring, replaced(String(EXPIRES_AT_MS), '1900000000000'), 'session-1')).toBeUndefined();
  expect(readCredential(ring, replaced(`:${EXPIRES_AT_MS}`, ''), 'session-1')).toBeUndefined();
  for (const junk of ['', 'svc.auth.', 'svc.auth.AAAA'])
    expect(readCredential(ring, junk, 'session-1')).toBeUndefined();
});
