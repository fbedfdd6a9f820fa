import { createHash } from 'node:crypto';
import { createAttemptLimiter, equalBytes } from '@svc-asr/runtime';
import type { RequestHandler } from 'express';
import { ConsoleError } from '../errors.ts';

/** Lets requests pass that carry the admin token, and slows down addresses that guess. */
export function authenticate(token: string, failedPerMinute: number, now: () => number): RequestHandler {
  const expected = digest(token);
  const attempts = createAttemptLimiter(failedPerMinute, 60_000);
  return (request, _response, next) => {
    const address = request.socket.remoteAddress ?? '';
    const given = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    // Digests have one length, so the comparison takes the same time whatever was sent.
    if (given !== undefined && equalBytes(digest(given), expected)) {
      next();
      return;
    }
    // Who has the token is never locked out by others behind the same address; a token this long cannot be guessed.
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
