import { createHash } from 'node:crypto';
import { equalBytes } from '@svc-asr/runtime';
import type { AttemptLimiter } from '@svc-asr/runtime';
import type { Request, RequestHandler } from 'express';
import { ConsoleError } from '../../errors.ts';
import { checkSameOrigin } from '../../http/same-origin.ts';
import { setAdministrator, TOKEN_HOLDER } from './administrator.ts';
import type { Administrator } from './administrator.ts';
import type { AdminSessions } from './sessions.ts';

/** Checks admin tokens, and limits the rate of failed attempts per address. */
export interface TokenCheck {
  /** Returns true if the text is the admin token. */
  isToken: (text: string) => boolean;
  /**
   * Counts a failed attempt and throws the error. After too many failed attempts, throws `rate_limit_exceeded` instead.
   */
  refuse: (request: Request, error: ConsoleError) => never;
}

/** Creates the check of admin tokens. */
export function createTokenCheck(token: string, failures: AttemptLimiter, now: () => number): TokenCheck {
  const expected = digest(token);
  return {
    // All digests have the same length, so the comparison time does not depend on the token that was sent.
    isToken: (text) => equalBytes(digest(text), expected),
    refuse: (request, error) => {
      // Requests with the right token always pass, even after failed attempts of other clients behind the same address.
      // A token of this length cannot be guessed.
      const address = request.socket.remoteAddress ?? '';
      const waitMs = failures.waitMs(address, now());
      if (waitMs > 0) {
        throw new ConsoleError('rate_limit_exceeded', { headers: { 'Retry-After': String(Math.ceil(waitMs / 1000)) } });
      }
      failures.fail(address, now());
      throw error;
    },
  };
}

/**
 * Admits requests with the admin token, and requests of signed-in browsers. A write request of a browser must also come
 * from the page itself, not from a page of another site.
 */
export function authenticate({ isToken, refuse }: TokenCheck, sessions: AdminSessions): RequestHandler {
  return async (request, _response, next) => {
    const { authorization = '' } = request.headers;
    const given = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
    if (given !== undefined && isToken(given)) {
      setAdministrator(request, TOKEN_HOLDER);
      next();
      return;
    }
    const session = given === undefined ? await sessions.find(request) : undefined;
    if (session !== undefined && session !== 'forged') {
      checkSameOrigin(request);
      refuseWriteOf(session.administrator, request);
      setAdministrator(request, session.administrator);
      next();
      return;
    }
    const code = given === undefined ? 'missing_admin_token' : 'invalid_admin_token';
    refuse(request, new ConsoleError(code, { headers: { 'WWW-Authenticate': 'Bearer realm="svc-asr admin"' } }));
  };
}

/** Throws `insufficient_role` if an auditor wants to change something. */
function refuseWriteOf({ role }: Administrator, { method }: Request): void {
  if (role === 'administrator' || method === 'GET' || method === 'HEAD') return;
  throw new ConsoleError('insufficient_role', { message: 'Your role is auditor, which can only read.' });
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
