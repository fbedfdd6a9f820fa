import { hash } from 'node:crypto';
import { SESSION_CREDENTIAL_PREFIX } from '@svc-asr/core';
import { equalTexts, sign } from '@svc-asr/runtime';
import type { Keyring } from '@svc-asr/runtime';

const MAC_BYTES = 32;
/** Pattern of the part before the MAC: secret id, tenant, and expiry in ms since the epoch. */
const CLAIMS = /^([A-Za-z0-9_-]{1,32}):([a-z0-9-]{1,63}):(\d{1,15}):$/;

/** Session for which a credential is valid. */
export interface CredentialSubject {
  tenant: string;
  sessionId: string;
}

/** Content of a credential whose MAC is valid. */
export interface ReadCredential {
  tenant: string;
  /** Time at which Redis starts to refuse the credential, by the clock of Redis. */
  expiresAtMs: number;
  /** Hash by which Redis recognizes the credential. See `credentialHash`. */
  hash: string;
}

/**
 * Derives the credential of a session: SESSION_CREDENTIAL_PREFIX and the base64url of `SECRET_ID:TENANT:EXPIRY:MAC`.
 * The MAC covers tenant, session and expiry. A derived credential has three advantages. First, a repeated request gets
 * the same credential, although Redis stores only a hash. Second, a handshake finds its account by the tenant in the
 * credential, without an index. Third, an expired credential is refused without a request to Redis. Returns undefined
 * if the secret is not in the keyring.
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
 * Returns the hash by which Redis recognizes the credential of a session. Redis sets the expiry only when it reserves
 * the session, so the hash is computed from a MAC without the expiry. Returns undefined if the secret is not in the
 * keyring.
 */
export function credentialHash(
  ring: Keyring,
  secretId: string,
  { tenant, sessionId }: CredentialSubject,
): string | undefined {
  const mac = sign(ring, secretId, `session:${tenant}:${sessionId}`, 'base64url');
  return mac === undefined ? undefined : hash('sha256', mac, 'base64url');
}

/**
 * Parses a credential and verifies its MAC. Returns undefined if the credential is not valid for this session. Does not
 * check the expiry.
 */
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
