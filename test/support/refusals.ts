import { strict as assert } from 'node:assert';
import type { AsrSession, CreditBalance, ErrorBody, Model } from '@svc-asr/core';
import type { Answer } from './answer.ts';

/**
 * Error codes of the HTTP API with status and type, copied from the interface specification rather than the code. The
 * codes about audio files are not included. A change of this table is a change of the API for callers.
 */
export const REFUSALS: Readonly<Record<string, readonly [status: number, type: string]>> = {
  invalid_json: [400, 'invalid_request_error'],
  invalid_parameters: [400, 'invalid_request_error'],
  invalid_idempotency_key: [400, 'invalid_request_error'],
  missing_api_key: [401, 'authentication_error'],
  invalid_api_key: [401, 'authentication_error'],
  expired_api_key: [401, 'authentication_error'],
  revoked_api_key: [401, 'authentication_error'],
  invalid_session_credential: [401, 'authentication_error'],
  insufficient_credits: [402, 'insufficient_credits'],
  account_inactive: [403, 'permission_error'],
  model_scope_denied: [403, 'permission_error'],
  key_scope_denied: [403, 'permission_error'],
  model_not_found: [404, 'model_not_found'],
  session_not_found: [404, 'not_found'],
  not_found: [404, 'not_found'],
  method_not_allowed: [405, 'invalid_request_error'],
  idempotency_conflict: [409, 'idempotency_conflict'],
  request_too_large: [413, 'request_too_large'],
  unsupported_media_type: [415, 'unsupported_media_type'],
  concurrency_limit_exceeded: [429, 'rate_limit_error'],
  rate_limit_exceeded: [429, 'rate_limit_error'],
  service_unavailable: [503, 'api_error'],
  no_capacity: [503, 'api_error'],
};

/** Returns the error of a refusal after checking that its status and type match its code. */
export function errorOf(answer: Answer): ErrorBody['error'] {
  assert.ok(answer.status >= 400, `not refused: ${answer.status} ${answer.text}`);
  const { error } = answer.body as ErrorBody;
  assert.deepEqual([answer.status, error.type], REFUSALS[error.code], answer.text);
  return error;
}

/** Returns the error code of a refusal. */
export function refusal(answer: Answer): string {
  return errorOf(answer).code;
}

/** Returns the session in the response to a successful request. Throws if the request was refused. */
export function sessionOf(answer: Answer): AsrSession {
  assert.equal(answer.status, 201, answer.text);
  return answer.body as AsrSession;
}

/** Returns the balance in the response. */
export function balanceOf(answer: Answer): CreditBalance {
  assert.equal(answer.status, 200, answer.text);
  return answer.body as CreditBalance;
}

/** Returns the models in the response. */
export function modelsOf(answer: Answer): Model[] {
  assert.equal(answer.status, 200, answer.text);
  return (answer.body as { data: Model[] }).data;
}
