import type { ErrorCode } from '../errors.ts';

/** When each error comes and what the caller does about it: the last column of the errors table. */
export const REMEDIES: Readonly<Record<ErrorCode, string>> = {
  invalid_json: 'The body is not JSON. Send a JSON object.',
  invalid_parameters: 'The message names each field and what is wrong with it. Fix the request; do not retry it.',
  invalid_idempotency_key: 'Use a UUID, or any 1 to 128 characters that match the pattern.',
  missing_api_key: 'Send `Authorization: Bearer <API_KEY>` from your server.',
  invalid_api_key: 'Nobody has this key. Check that all of it was copied and that it belongs to this service.',
  expired_api_key: 'The key was made with an expiry that has passed. Ask whoever runs the service for a new one.',
  revoked_api_key: 'The key was revoked. Use another key of the account, or ask whoever runs the service for one.',
  invalid_session_credential:
    'Answers a WebSocket handshake. The credential works once and for 60 seconds: create a new session.',
  insufficient_credits:
    'Less than one second of credit is free. Ask for more; sessions that still run return what they do not use.',
  account_inactive: 'The account waits for approval or was suspended. Ask the administrator of the service.',
  model_scope_denied: 'The account may not use this model. Choose another, or ask for this one.',
  model_not_found: 'There is no such model. Take an `id` from `GET /v1/models`.',
  not_found: 'There is nothing at this path. Check the address.',
  method_not_allowed: 'Use a method that the header `Allow` lists.',
  idempotency_conflict: 'The key was used with another body. Use one key for each new session.',
  request_too_large: 'The body exceeds 16 KiB. Audio does not go here but into the stream.',
  unsupported_media_type: 'Send `Content-Type: application/json`, UTF-8, uncompressed.',
  concurrency_limit_exceeded:
    'The account has a reserved or active session already. Close its stream, or wait until the reservation expires; `Retry-After` says when to ask again.',
  rate_limit_exceeded: 'Too many requests. Wait as long as `Retry-After` says, then back off exponentially.',
  service_unavailable:
    'A part of the service is away. Retry as `Retry-After` says, with exponential backoff and the same `Idempotency-Key`.',
  no_capacity:
    'Every slot of the model is taken. Retry as `Retry-After` says, with exponential backoff and the same `Idempotency-Key`.',
};
