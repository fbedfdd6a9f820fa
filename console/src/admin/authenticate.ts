import { createHash } from 'node:crypto';
import { createAttemptLimiter, equalBytes } from '@svc-asr/runtime';
import type { RequestHandler } from 'express';
import { setAdministrator, TOKEN_HOLDER } from './administrator.ts';
import { ConsoleError } from '../errors.ts';

/** Admits requests with the admin token, and limits the rate of failed attempts per address. */
export function authenticate(token: string, failedPerMinute: number, now: () => number): RequestHandler {
  const expected = digest(token);
  const attempts = createAttemptLimiter(failedPerMinute, 60_000);
  return (request, _response, next) => {
    const address = request.socket.remoteAddress ?? '';
    const given = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    // All digests have the same length, so the comparison time does not depend on the token that was sent.
    if (given !== undefined && equalBytes(digest(given), expected)) {
      setAdministrator(request, TOKEN_HOLDER);
      next();
      return;
    }
    // Requests with the right token always pass, even if others behind the same address have failed. A token of this
    // length cannot be guessed.
    const waitMs = attempts.waitMs(address, now());
    if (waitMs > 0) {
      throw new ConsoleError('rate_limit_exceeded', { headers: { 'Retry-After': String(Math.ceil(waitMs / 1000)) } });
    }
    attempts.fail(address, now());
    throw new ConsoleError(given === undefined ? 'missing_admin_token' : 'invalid_admin_token', {
      headers: { 'WWW-Authenticate': 'Bearer realm="svc-asr admin"' },
    });
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
