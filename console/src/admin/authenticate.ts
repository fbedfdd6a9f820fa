import { createHash } from 'node:crypto';
import { equalBytes } from '@svc-asr/runtime';
import type { RequestHandler } from 'express';
import { ConsoleError } from '../errors.ts';
import { createAttemptLimiter } from './attempts.ts';

/** Lets requests pass that carry the admin token, and slows down addresses that guess. */
export function authenticate(token: string, failedPerMinute: number, now: () => number): RequestHandler {
  const expected = digest(token);
  const attempts = createAttemptLimiter(failedPerMinute);
  return (request, _response, next) => {
    const address = request.socket.remoteAddress ?? '';
    const waitMs = attempts.waitMs(address, now());
    // Before the token is looked at: else a guess would be answered as fast as it can be made.
    if (waitMs > 0) {
      throw new ConsoleError('rate_limit_exceeded', { headers: { 'Retry-After': String(Math.ceil(waitMs / 1000)) } });
    }
    const given = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    // Digests have one length, so the comparison takes the same time whatever was sent.
    if (given !== undefined && equalBytes(digest(given), expected)) {
      next();
      return;
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
