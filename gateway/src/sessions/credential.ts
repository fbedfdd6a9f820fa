import { hash } from 'node:crypto';
import { SESSION_CREDENTIAL_PREFIX } from '@svc-asr/core';
import { equalTexts, sign } from '@svc-asr/runtime';
import type { Keyring } from '@svc-asr/runtime';

const MAC_BYTES = 32;

/**
 * Derives the credential of a session: SESSION_CREDENTIAL_PREFIX and the base64url of `SECRET_ID:TENANT:MAC`. The MAC
 * covers tenant and session. Because the credential is derived, a repeated request gets the same one although Redis
 * stores only its SHA-256. Because it names the tenant, a handshake needs no index to find the account. Undefined if
 * the secret is no longer in the ring.
 */
export function sessionCredential(
  ring: Keyring,
  secretId: string,
  tenant: string,
  sessionId: string,
): string | undefined {
  const mac = sign(ring, secretId, `session:${tenant}:${sessionId}`, 'binary');
  if (mac === undefined) return undefined;
  return SESSION_CREDENTIAL_PREFIX + Buffer.from(`${secretId}:${tenant}:${mac}`, 'latin1').toString('base64url');
}

/** Hash of a credential, as Redis stores it. */
export function credentialHash(credential: string): string {
  return hash('sha256', credential, 'base64url');
}

/** Returns the tenant that a credential names. Undefined if it is not a valid credential for this session. */
export function credentialTenant(ring: Keyring, credential: string, sessionId: string): string | undefined {
  if (!credential.startsWith(SESSION_CREDENTIAL_PREFIX)) return undefined;
  const text = Buffer.from(credential.slice(SESSION_CREDENTIAL_PREFIX.length), 'base64url').toString('latin1');
  const named = /^([A-Za-z0-9_-]{1,32}):([a-z0-9-]{1,63}):$/.exec(text.slice(0, -MAC_BYTES));
  if (named === null) return undefined;
  const [, secretId = '', tenant = ''] = named;
  const mac = sign(ring, secretId, `session:${tenant}:${sessionId}`, 'binary');
  return mac !== undefined && equalTexts(mac, text.slice(-MAC_BYTES)) ? tenant : undefined;
}
