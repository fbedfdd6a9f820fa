import { createHash } from 'node:crypto';
import { equalTexts, sign } from '@svc-asr/runtime';
import type { Keyring } from '@svc-asr/runtime';
import type { Administrator } from './administrator.ts';

/** Session of an administrator, as its cookie contains it. */
export interface AdminSession {
  /** Random and hexadecimal. Identifies the session in the list of ended sessions. */
  readonly id: string;
  readonly administrator: Administrator;
  readonly startedAtMs: number;
  readonly expiresAtMs: number;
}

const VALUE = /^(([\w-]{1,3000})\.([\w-]{1,32}))\.([\w-]{43})$/;

/** Signs and reads the cookies of administrators. */
export interface CookieValues {
  write: (session: AdminSession) => string;
  /**
   * Returns `forged` if the signature is wrong, and undefined if the text has another form or its pepper was removed.
   */
  read: (text: string) => AdminSession | 'forged' | undefined;
}

/**
 * Creates the functions that sign and read cookies. A signature depends on the admin token, so that a new token ends all
 * sessions.
 */
export function createCookieValues(peppers: Keyring, adminToken: string): CookieValues {
  const tokenDigest = createHash('sha256').update(adminToken).digest('hex');
  const signatureOf = (body: string, pepperId: string) =>
    sign(peppers, pepperId, `admin-session:${tokenDigest}:${body}`, 'base64url');
  return {
    write: (session) => {
      const body = `${Buffer.from(JSON.stringify(session)).toString('base64url')}.${peppers.current}`;
      return `${body}.${signatureOf(body, peppers.current)}`;
    },
    read: (text) => {
      const [, body = '', encoded = '', pepperId = '', signature = ''] = VALUE.exec(text) ?? [];
      const expected = signatureOf(body, pepperId);
      // The pepper of an old session may have been removed, so this is not counted as a forgery.
      if (expected === undefined) return undefined;
      if (!equalTexts(signature, expected)) return 'forged';
      return JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8')) as AdminSession;
    },
  };
}
