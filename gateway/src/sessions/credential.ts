import { hash } from 'node:crypto';
import { equalTexts, sign } from '@svc-asr/runtime';
import type { Keyring } from '@svc-asr/runtime';

/**
 * A session credential is `svc.auth.` + base64url of `SECRET_ID:TENANT:` and a MAC of tenant and session under that
 * secret. It is derived, so a replay of the request can give it again although only its SHA-256 is stored; and it
 * names its tenant, so a handshake needs no index to find the account.
 */
const PREFIX = 'svc.auth.';
const MAC_BYTES = 32;

/** The credential of a session; undefined when the secret is no longer in the ring. */
export function sessionCredential(
  ring: Keyring,
  secretId: string,
  tenant: string,
  sessionId: string,
): string | undefined {
  const mac = sign(ring, secretId, `session:${tenant}:${sessionId}`, 'binary');
  if (mac === undefined) return undefined;
  return PREFIX + Buffer.from(`${secretId}:${tenant}:${mac}`, 'latin1').toString('base64url');
}

/** What Redis keeps of a credential. */
export function credentialHash(credential: string): string {
  return hash('sha256', credential, 'base64url');
}

/** The tenant that a credential for this session names, when its MAC is right. */
export function credentialTenant(ring: Keyring, credential: string, sessionId: string): string | undefined {
  if (!credential.startsWith(PREFIX)) return undefined;
  const text = Buffer.from(credential.slice(PREFIX.length), 'base64url').toString('latin1');
  const named = /^([A-Za-z0-9_-]{1,32}):([a-z0-9-]{1,63}):$/.exec(text.slice(0, -MAC_BYTES));
  if (named === null) return undefined;
  const [, secretId = '', tenant = ''] = named;
  const mac = sign(ring, secretId, `session:${tenant}:${sessionId}`, 'binary');
  return mac !== undefined && equalTexts(mac, text.slice(-MAC_BYTES)) ? tenant : undefined;
}
