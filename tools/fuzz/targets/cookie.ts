import { isDeepStrictEqual } from 'node:util';
import type { Request } from 'express';
import { createCookieValues } from '../../../console/src/admin/sign-in/cookie-value.ts';
import { tenantOf } from '../../../console/src/applications/link.ts';
import { readSession, writeSession } from '../../../console/src/developer/session.ts';
import { readUserCookie, writeUserCookie } from '../../../console/src/developer/user-cookie.ts';
import { createCookie } from '../../../console/src/http/cookie.ts';
import { readLogin, writeLogin } from '../../../console/src/identity/login.ts';
import { safeReturnPath } from '../../../console/src/identity/return-path.ts';
import { check } from '../engine/target.ts';
import type { FuzzTarget } from '../engine/target.ts';
import { RING } from './fuzz-keys.ts';

const LOGIN = { state: 's', nonce: 'n', verifier: 'v', returnPath: '/', expiresAtMs: 2000 };
const SESSION = { id: '0123456789abcdef', tenant: 'acme', linkId: 'fedcba9876543210', expiresAtMs: 2000 };
const USER = { token: `${'a'.repeat(40)}.${'b'.repeat(16)}.${'c'.repeat(32)}`, tenant: 'acme' };
const ADMIN = { id: 'ab', administrator: { name: 'a' }, startedAtMs: 1, expiresAtMs: 2 };
const values = createCookieValues(RING, 'token');
const adminText = values.write(ADMIN as unknown as Parameters<typeof values.write>[0]);
const cookie = createCookie('session', 'Lax');

/**
 * Checks that the console accepts no forged login or session. The console may accept `text` as the cookie of a user or as a
 * private link. The values that it then reads must equal the parts of `text`.
 */
function readAll(text: string): void {
  const login = readLogin(text, RING, 1000);
  check(login === undefined || isDeepStrictEqual(login, LOGIN), 'a login was forged');
  const session = readSession(text, RING);
  check(typeof session !== 'object' || isDeepStrictEqual(session, SESSION), 'a session was forged');
  const admin = values.read(text);
  check(typeof admin !== 'object' || isDeepStrictEqual(admin, ADMIN), 'a session of an administrator was forged');
  const user = readUserCookie(text);
  check(user === undefined || writeUserCookie(user) === text, 'the cookie of a user has another content');
  const tenant = tenantOf(text);
  check(tenant === undefined || text.startsWith(`${tenant}.`), 'a private link has another tenant');
}

/** Checks that a return path has no host, and no character that some browsers read differently, such as `\`. */
function checkReturnPath(text: string): void {
  const path = safeReturnPath(text);
  check(/^\/[!-[\]-~]*$/.test(path) && !/^\/[\\/]/.test(path), `the return path is ${path}`);
  check(new URL(path, 'https://console.example').origin === 'https://console.example', 'a return path has a host');
  check(safeReturnPath(path) === path, 'a safe return path is changed again');
  const login = { ...LOGIN, returnPath: path };
  check(isDeepStrictEqual(readLogin(writeLogin(login, RING), RING, 1000), login), 'a written login is not read');
}

export const target: FuzzTarget = {
  property: 'The parsers of cookies, private links and return paths never throw and accept nothing forged.',
  seeds: [
    `v${writeLogin(LOGIN, RING)}`,
    `v${writeSession(SESSION, RING)}`,
    `v${writeUserCookie(USER)}`,
    `v${adminText}`,
    `vacme.${'s'.repeat(32)}`,
    'p/keys?tenant=acme#top',
    'p/.//host',
    'hsession=a; __Host-session=b',
  ],
  dictionary: ['.', ';', '=', '__Host-', 'session=', '%2f', '%5c', '//', '/../', '?', '#', '@', ':', 's1', 'oidc.'],
  maxBytes: 2500,
  run: (input) => {
    const text = input.toString('latin1', 1);
    if (input[0] === 'p'.charCodeAt(0)) checkReturnPath(text);
    else if (input[0] === 'h'.charCodeAt(0)) {
      const value = cookie.read({ secure: text.length % 2 === 0, headers: { cookie: text } } as Request);
      check(value === undefined || text.includes(`session=${value}`), 'a cookie has another value');
    } else readAll(text);
  },
};
