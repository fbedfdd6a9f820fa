import { hash } from 'node:crypto';
import type { RequestHandler } from 'express';
import { ApiError, parseApiKey } from '@svc-asr/core';
import type { ErrorCode } from '@svc-asr/core';
import { equalTexts, sign } from '@svc-asr/runtime';
import type { AttemptLimiter, Keyring } from '@svc-asr/runtime';
import { exchangeOf } from '../http/exchange.ts';
import type { KeyLimits } from '../http/exchange.ts';
import type { LedgerWatch } from '../ledger-watch.ts';
import type { FoundKey, KeyLookup } from './lookup.ts';
import type { RefusalDelay } from './refusal-delay.ts';

export interface KeyCheckOptions {
  lookup: KeyLookup;
  failures: AttemptLimiter;
  refusalDelay: RefusalDelay;
  peppers: Keyring;
  now: () => number;
  ledgerWatch: LedgerWatch;
}

const BEARER = /^Bearer +(\S+) *$/i;
const BLOCKED = 'Too many failed authentications from this address. Wait as long as Retry-After says.';
const WRONG_SCHEME = 'The header Authorization must have the form "Bearer <API_KEY>". Other schemes are not accepted.';

/** An API key that exists. It may have been revoked or have expired. */
export interface RecognizedKey {
  readonly tenant: string;
  readonly keyId: string;
}

/** An API key that was verified. */
export interface VerifiedKey extends RecognizedKey {
  readonly keyLimits: KeyLimits;
}

export interface KeyCheck {
  /**
   * Verifies the API key in an `Authorization` header. Throws 401 if it is not valid. Throws 429 after too many
   * failures from one address, unless the key is valid and this gateway has verified it before. `addressOf` evaluates
   * the proxy headers, which costs more than the check of a cached key. It is therefore called only after a failure, or
   * for a key that is not cached. `onRecognized` is called with the tenant and the id of the key, also if the key was
   * revoked or has expired.
   */
  verify: (
    authorization: string | undefined,
    addressOf: () => string,
    onRecognized?: (key: RecognizedKey) => void,
  ) => Promise<VerifiedKey>;
  /**
   * Returns the key in an `Authorization` header if the key is valid and this gateway has verified it a short time ago.
   * Sends no request to Redis.
   */
  cached: (authorization: string | undefined) => VerifiedKey | undefined;
  /** Checks a key again after its verification. Throws 401 if the key was revoked or deleted, or has expired. */
  verifyAgain: (keyId: string) => Promise<void>;
}

/** Creates the check of API keys. All routes share one check, so that failures of an address are counted together. */
export function createKeyCheck(options: KeyCheckOptions): KeyCheck {
  const { lookup, failures, refusalDelay, peppers, now, ledgerWatch } = options;
  const find = async (keyId: string): Promise<FoundKey | undefined> => {
    const record = await lookup.find(keyId);
    if (record === undefined) await ledgerWatch.verify();
    return record;
  };
  return {
    verify: async (authorization, addressOf, onRecognized) => {
      try {
        const key = bearer(authorization);
        const keyId = parseApiKey(key);
        if (keyId === undefined) throw new ApiError('invalid_api_key');
        const digest = hash('sha256', key, 'base64url');
        let record = lookup.cached(keyId);
        if (record === undefined) {
          // Failures of one client must not lock out other clients with the same address. A key that this gateway has
          // verified before is therefore looked up even if the address is blocked.
          const waitMs = lookup.wasVerified(keyId, digest) ? 0 : failures.waitMs(addressOf(), now());
          if (waitMs > 0) await refusalDelay.refuse(waitMs, BLOCKED);
          record = await find(keyId);
        }
        requireMatch(record, key, digest, peppers);
        lookup.remember(keyId, digest);
        onRecognized?.({ tenant: record.tenant, keyId });
        checkValidity(record, now());
        lookup.touch(keyId);
        return { tenant: record.tenant, keyId, keyLimits: record };
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 401) throw error;
        const address = addressOf();
        const waitMs = failures.waitMs(address, now());
        // Nothing is awaited between the check and the count, so that requests in parallel do not exceed the limit.
        if (waitMs > 0) await refusalDelay.refuse(waitMs, BLOCKED);
        failures.fail(address, now());
        await refusalDelay.waitAfterFailure(address);
        throw withChallenge(error);
      }
    },
    cached: (authorization) => {
      const key = BEARER.exec(authorization ?? '')?.[1] ?? '';
      const keyId = parseApiKey(key);
      const record = keyId === undefined ? undefined : lookup.cached(keyId);
      if (keyId === undefined || record?.verifiedDigest === undefined) return undefined;
      if (!equalTexts(record.verifiedDigest, hash('sha256', key, 'base64url'))) return undefined;
      return findInvalidity(record, now()) === undefined
        ? { tenant: record.tenant, keyId, keyLimits: record }
        : undefined;
    },
    verifyAgain: async (keyId) => {
      const record = lookup.cached(keyId) ?? (await find(keyId));
      if (record === undefined) throw new ApiError('invalid_api_key');
      checkValidity(record, now());
    },
  };
}

/**
 * Authenticates a request by its API key. Refuses it with 401 if the key is not valid, and with 429 after too many
 * failures from one address.
 */
export function authenticate(keys: Pick<KeyCheck, 'verify'>): RequestHandler {
  return async (request, response, next) => {
    const exchange = exchangeOf(response);
    const onRecognized = (found: RecognizedKey) => void Object.assign(exchange, found);
    const key = await keys.verify(request.headers.authorization, () => request.ip ?? '', onRecognized);
    Object.assign(exchange, key);
    next();
  };
}

function bearer(authorization: string | undefined): string {
  if (authorization === undefined || authorization.trim() === '') throw new ApiError('missing_api_key');
  const match = BEARER.exec(authorization);
  // The error quotes neither scheme nor key, because a header without a scheme starts with the key.
  if (match === null) throw new ApiError('invalid_api_key', { message: WRONG_SCHEME });
  return match[1] ?? '';
}

/**
 * Throws 401 unless the caller has sent the correct key. A caller who knows only the id of a key must not learn that
 * the key was revoked or has expired.
 */
function requireMatch(
  record: FoundKey | undefined,
  key: string,
  digest: string,
  peppers: Keyring,
): asserts record is FoundKey {
  if (record === undefined || !matches(record, key, digest, peppers)) throw new ApiError('invalid_api_key');
}

function checkValidity(record: FoundKey, now: number): void {
  const code = findInvalidity(record, now);
  if (code !== undefined) throw new ApiError(code);
}

/** Returns the reason for which a key is no longer valid. Undefined if it is valid. */
function findInvalidity({ revoked, expiresAtMs }: FoundKey, now: number): ErrorCode | undefined {
  if (revoked) return 'revoked_api_key';
  return expiresAtMs !== null && now >= expiresAtMs ? 'expired_api_key' : undefined;
}

function matches(record: FoundKey, key: string, digest: string, peppers: Keyring): boolean {
  if (record.verifiedDigest !== undefined) return equalTexts(record.verifiedDigest, digest);
  const mac = sign(peppers, record.pepperId, key, 'hex');
  if (mac === undefined || !equalTexts(mac, record.hash)) return false;
  record.verifiedDigest = digest;
  return true;
}

function withChallenge(error: ApiError): ApiError {
  return new ApiError(error.code, { message: error.message, headers: { 'WWW-Authenticate': 'Bearer' } });
}
