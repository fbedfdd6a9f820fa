import { equalTexts, sign } from '@svc-asr/runtime';
import type { Keyring } from '@svc-asr/runtime';

/** A sign-in that waits for the OpenID provider. The browser keeps it in a cookie. */
export interface Login {
  readonly state: string;
  readonly nonce: string;
  /** Secret of PKCE. Only the browser that started the sign-in can finish it. */
  readonly verifier: string;
  readonly returnPath: string;
  readonly expiresAtMs: number;
}

/** Maximum time that a user may spend at the OpenID provider. */
export const LOGIN_MS = 600_000;

/** Maximum length of a cookie value. Longer ones are not parsed. */
const MAX_CHARACTERS = 2048;

/** Returns the cookie value of a login: JSON in base64url, the id of the pepper, and a signature. */
export function writeLogin(login: Login, peppers: Keyring): string {
  const body = `${Buffer.from(JSON.stringify(login)).toString('base64url')}.${peppers.current}`;
  return `${body}.${signatureOf(body, peppers, peppers.current)}`;
}

/** Reads a cookie value. Undefined if it is missing, forged or expired. */
export function readLogin(text: string | undefined, peppers: Keyring, nowMs: number): Login | undefined {
  if (text === undefined || text.length > MAX_CHARACTERS) return undefined;
  const [, body = '', json = '', pepperId = '', signature = ''] =
    /^(([\w-]+)\.([\w-]{1,32}))\.([\w-]{43})$/.exec(text) ?? [];
  const expected = signatureOf(body, peppers, pepperId);
  if (expected === undefined || !equalTexts(signature, expected)) return undefined;
  const login = JSON.parse(Buffer.from(json, 'base64url').toString()) as Login;
  return login.expiresAtMs > nowMs ? login : undefined;
}

/**
 * Signs the body of a login. The peppers sign other texts too. Because of the prefix `login:`, the signature of another
 * text is never valid for a login.
 */
function signatureOf(body: string, peppers: Keyring, pepperId: string): string | undefined {
  return sign(peppers, pepperId, `login:${body}`, 'base64url');
}
