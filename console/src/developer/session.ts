import { equalTexts, sign } from '@svc-asr/runtime';
import type { Keyring } from '@svc-asr/runtime';
import { NAME_PATTERN } from '../resources/object.ts';

/** Content of the cookie of a browser that signed in with a private link or a sign-in code. */
export interface Session {
  /** Random. Identifies the session in the list of sessions that sign-outs have ended. */
  readonly id: string;
  readonly tenant: string;
  /**
   * Identifies the private link that the tenant had at the sign-in. The session ends when the tenant gets another link.
   */
  readonly linkId: string;
  readonly expiresAtMs: number;
}

/**
 * Result of reading a cookie. `forged` if its signature is wrong, undefined if it has another form or its pepper was
 * removed.
 */
export type ReadSession = Session | 'forged' | undefined;

const SESSION = new RegExp(
  String.raw`^((${NAME_PATTERN})\.([0-9a-f]{16})\.([0-9a-f]{16})\.(\d{1,15})\.([\w-]{1,32}))\.([\w-]{43})$`,
);

/** Returns the cookie value of a session: its fields, the id of the pepper, and a signature. */
export function writeSession({ id, tenant, linkId, expiresAtMs }: Session, peppers: Keyring): string {
  const body = [tenant, linkId, id, expiresAtMs, peppers.current].join('.');
  return `${body}.${signatureOf(body, peppers, peppers.current)}`;
}

/**
 * Reads a cookie value. The signature is verified here, so that a forged cookie costs no request to the API server. The
 * caller checks the expiry, the link and whether the session was ended.
 */
export function readSession(text: string, peppers: Keyring): ReadSession {
  const [, body = '', tenant = '', linkId = '', id = '', expiresAtMs = '', pepperId = '', signature = ''] =
    SESSION.exec(text) ?? [];
  const expected = signatureOf(body, peppers, pepperId);
  // The pepper of an old session may have been removed, so this is not counted as a forgery.
  if (expected === undefined) return undefined;
  return equalTexts(signature, expected) ? { id, tenant, linkId, expiresAtMs: Number(expiresAtMs) } : 'forged';
}

/**
 * Signs the body of a session. The prefix keeps signatures of sessions apart from hashes of links and keys, which use
 * the same peppers.
 */
function signatureOf(body: string, peppers: Keyring, pepperId: string): string | undefined {
  return sign(peppers, pepperId, `session:${body}`, 'base64url');
}
