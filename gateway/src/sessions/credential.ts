import { hash } from 'node:crypto';
import { SESSION_CREDENTIAL_PREFIX } from '@svc-asr/core';
import { equalTexts, sign } from '@svc-asr/runtime';
import type { Keyring } from '@svc-asr/runtime';

const MAC_BYTES = 32;
/** The part before the MAC: secret id, tenant, and expiry in ms since the epoch. */
const CLAIMS = /^([A-Za-z0-9_-]{1,32}):([a-z0-9-]{1,63}):(\d{1,15}):$/;

/** Session that a credential is for. */
export interface CredentialSubject {
  tenant: string;
  sessionId: string;
}

/** Content of a credential whose MAC is valid. */
export interface ReadCredential {
  tenant: string;
  /** Time from which on Redis refuses the credential, by the clock of Redis. */
  expiresAtMs: number;
  /** See `credentialHash`. */
  hash: string;
}

/**
 * Derives the credential of a session: SESSION_CREDENTIAL_PREFIX and the base64url of `SECRET_ID:TENANT:EXPIRY:MAC`.
 * The MAC covers tenant, session and expiry. Because the credential is derived, a repeated request gets the same one
 * although Redis stores only a hash. Because it names the tenant, a handshake needs no index to find the account.
 * Because it names its expiry, an old credential is refused without Redis. Undefined if the secret is no longer in the
 * keyring.
 */
export function sessionCredential(
  ring: Keyring,
  secretId: string,
  { tenant, sessionId }: CredentialSubject,
  expiresAtMs: number,
): string | undefined {
  const mac = sign(ring, secretId, `session:${tenant}:${sessionId}:${expiresAtMs}`, 'binary');
  if (mac === undefined) return undefined;
  const text = `${secretId}:${tenant}:${expiresAtMs}:${mac}`;
  return SESSION_CREDENTIAL_PREFIX + Buffer.from(text, 'latin1').toString('base64url');
}

/**
 * Returns what Redis stores to recognize the credential of a session. Redis sets the expiry only when it reserves the
 * session, so the hash is that of a MAC without the expiry. Undefined if the secret is no longer in the keyring.
 */
export function credentialHash(
  ring: Keyring,
  secretId: string,
  { tenant, sessionId }: CredentialSubject,
): string | undefined {
  const mac = sign(ring, secretId, `session:${tenant}:${sessionId}`, 'base64url');
  return mac === undefined ? undefined : hash('sha256', mac, 'base64url');
}

/** Reads a credential. Undefined if it is not a valid credential for this session. It may have expired. */
export function readCredential(ring: Keyring, credential: string, sessionId: string): ReadCredential | undefined {
  if (!credential.startsWith(SESSION_CREDENTIAL_PREFIX)) return undefined;
  const text = Buffer.from(credential.slice(SESSION_CREDENTIAL_PREFIX.length), 'base64url').toString('latin1');
  const claims = CLAIMS.exec(text.slice(0, -MAC_BYTES));
  if (claims === null) return undefined;
  const [, secretId = '', tenant = '', expiry = ''] = claims;
  const mac = sign(ring, secretId, `session:${tenant}:${sessionId}:${expiry}`, 'binary');
  if (mac === undefined || !equalTexts(mac, text.slice(-MAC_BYTES))) return undefined;
  const stored = credentialHash(ring, secretId, { tenant, sessionId });
  return stored === undefined ? undefined : { tenant, expiresAtMs: Number(expiry), hash: stored };
}
