import type { ErrorCode } from '@svc-asr/core';
import type { Operation, Parameter } from '../document.ts';
import { EXAMPLE_SESSION_ID } from '../examples.ts';
import type { HeaderName } from '../headers.ts';
import { errorResponses } from '../responses.ts';

/** Headers that report the rate limits of an account. */
export const RATE_HEADERS: readonly HeaderName[] = ['RateLimit', 'RateLimit-Policy'];

/** Errors of the checks of key, account, credit and model, which apply to requests that reserve credit. */
export const ADMISSION_CODES: readonly ErrorCode[] = [
  'missing_api_key',
  'invalid_api_key',
  'expired_api_key',
  'revoked_api_key',
  'insufficient_credits',
  'account_inactive',
  'model_scope_denied',
  'key_scope_denied',
  'model_not_found',
];

/**
 * Errors of the checks of body, rate limits and capacity. The checks apply to requests that have a body and use
 * capacity.
 */
export const CAPACITY_CODES: readonly ErrorCode[] = [
  'request_too_large',
  'unsupported_media_type',
  'concurrency_limit_exceeded',
  'rate_limit_exceeded',
  'service_unavailable',
  'no_capacity',
];

/** Path parameter with the id of a session. */
export const SESSION_ID: Parameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'Id of the session.',
  schema: { type: 'string', format: 'uuid' },
  example: EXAMPLE_SESSION_ID,
};

/**
 * Returns the error responses of an operation with an API key. A request with an invalid key is refused before the rate
 * limits are checked, so its response has no rate limit headers.
 */
export function keyedErrors(codes: readonly ErrorCode[]): Operation['responses'] {
  return errorResponses(codes, (status) => (status === 401 ? ['WWW-Authenticate'] : RATE_HEADERS));
}
