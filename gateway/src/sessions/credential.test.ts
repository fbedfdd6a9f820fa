import { parseKeyring } from '@svc-asr/runtime';
import { credentialHash, credentialTenant, sessionCredential } from './credential.ts';

const secret = (fill: number) => Buffer.alloc(32, fill).toString('base64');
const ring = parseKeyring(JSON.stringify({ current: 's2', secrets: { s1: secret(1), s2: secret(2) } }));

test('sessionCredential returns the same value each time, which fits a subprotocol and names its tenant', () => {
  const credential = sessionCredential(ring, 's2', 'acme-radio', 'session-1')!;
  expect(credential).toBe(sessionCredential(ring, 's2', 'acme-radio', 'session-1'));
  expect(credential).toMatch(/^svc\.auth\.[A-Za-z0-9_-]+$/);
  expect(credentialTenant(ring, credential, 'session-1')).toBe('acme-radio');
  expect(credentialHash(credential)).not.toContain(credential.slice(9, 20));
});

test('sessionCredential needs a configured secret, and credentialTenant accepts an older secret of the ring', () => {
  expect(sessionCredential(ring, 's3', 'acme', 'x')).toBeUndefined();
  expect(credentialTenant(ring, sessionCredential(ring, 's1', 'acme', 'x')!, 'x')).toBe('acme');
});

test('credentialTenant rejects a credential of another session or tenant, and a malformed one', () => {
  const credential = sessionCredential(ring, 's2', 'acme', 'one')!;
  expect(credentialTenant(ring, credential, 'two')).toBeUndefined();
  expect(credentialTenant(ring, credential.slice(0, -3), 'one')).toBeUndefined();
  expect(credentialTenant(ring, `x${credential}`, 'one')).toBeUndefined();
  const bytes = Buffer.from(credential.slice(9), 'base64url');
  bytes.write('other', 3);
  expect(credentialTenant(ring, `svc.auth.${bytes.toString('base64url')}`, 'one')).toBeUndefined();
  for (const junk of ['', 'svc.auth.', 'svc.auth.AAAA']) expect(credentialTenant(ring, junk, 'one')).toBeUndefined();
});
