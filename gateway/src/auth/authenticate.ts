import { hash } from 'node:crypto';
import type { Request, RequestHandler } from 'express';
import { ApiError, parseApiKey } from '@svc-asr/core';
import { equalTexts, sign } from '@svc-asr/runtime';
import type { AttemptLimiter, Keyring } from '@svc-asr/runtime';
import { exchangeOf } from '../http/exchange.ts';
import type { LedgerWatch } from '../ledger-watch.ts';
import type { FoundKey, KeyLookup } from './lookup.ts';

export interface AuthenticateOptions {
  lookup: KeyLookup;
  failures: AttemptLimiter;
  peppers: Keyring;
  now: () => number;
  ledgerWatch: LedgerWatch;
}

const WRONG_SCHEME = 'The header Authorization must have the form "Bearer <API_KEY>". Other schemes are not accepted.';

/**
 * Finds the tenant of the API key, or refuses the request with 401. Too many failures from one address are refused with
 * 429.
 */
export function authenticate({ lookup, failures, peppers, now, ledgerWatch }: AuthenticateOptions): RequestHandler {
  return async (request, response, next) => {
    try {
      const key = bearer(request);
      const keyId = parseApiKey(key);
      if (keyId === undefined) throw new ApiError('invalid_api_key');
      let record = lookup.cached(keyId);
      if (record === undefined) {
        refuseIfBlocked(failures, addressOf(request), now());
        record = await lookup.find(keyId);
        if (record === undefined) await ledgerWatch.verify();
      }
      checkRecord(record, key, peppers, now());
      lookup.touch(keyId);
      Object.assign(exchangeOf(response), { tenant: record.tenant, keyId, keyLimits: record });
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
      const address = addressOf(request);
      refuseIfBlocked(failures, address, now());
      failures.fail(address, now());
      throw withChallenge(error);
    }
    next();
  };
}

/**
 * Returns the address of the client. Call it only after a failure or for a key that is not cached, because evaluating
 * the proxy headers costs more than checking a key.
 */
function addressOf(request: Request): string {
  return request.ip ?? '';
}

function bearer(request: Request): string {
  const { authorization } = request.headers;
  if (authorization === undefined || authorization.trim() === '') throw new ApiError('missing_api_key');
  const match = /^Bearer +(\S+) *$/i.exec(authorization);
  // Neither the scheme nor the key is quoted, because a header without a scheme starts with the key.
  if (match === null) throw new ApiError('invalid_api_key', { message: WRONG_SCHEME });
  return match[1] ?? '';
}

function checkRecord(
  record: FoundKey | undefined,
  key: string,
  peppers: Keyring,
  now: number,
): asserts record is FoundKey {
  // Only a caller that holds the whole key learns that it was revoked or has expired.
  if (record === undefined || !matches(record, key, peppers)) throw new ApiError('invalid_api_key');
  if (record.revoked) throw new ApiError('revoked_api_key');
  if (record.expiresAtMs !== null && now >= record.expiresAtMs) throw new ApiError('expired_api_key');
}

function matches(record: FoundKey, key: string, peppers: Keyring): boolean {
  const digest = hash('sha256', key, 'base64url');
  if (record.verifiedDigest !== undefined) return equalTexts(record.verifiedDigest, digest);
  const mac = sign(peppers, record.pepperId, key, 'hex');
  if (mac === undefined || !equalTexts(mac, record.hash)) return false;
  record.verifiedDigest = digest;
  return true;
}

function refuseIfBlocked(failures: AttemptLimiter, address: string, now: number): void {
  const waitMs = failures.waitMs(address, now);
  if (waitMs === 0) return;
  const message = 'Too many failed authentications from this address. Wait as long as Retry-After says.';
  throw new ApiError('rate_limit_exceeded', { retryAfterS: waitMs / 1000, message });
}

function withChallenge(error: ApiError): ApiError {
  return new ApiError(error.code, { message: error.message, headers: { 'WWW-Authenticate': 'Bearer' } });
}
