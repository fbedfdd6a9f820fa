import type { ErrorCode } from '@svc-asr/core';

/** Cause and remedy of each error, for the last column of the errors table. */
export const REMEDIES: Readonly<Record<ErrorCode, string>> = {
  invalid_json: 'The body is not valid JSON. Send a JSON object.',
  invalid_parameters: 'The message names each invalid field and the problem. Fix the request; do not retry it.',
  invalid_idempotency_key: 'Use a UUID, or 1 to 128 characters that match the pattern.',
  unsupported_audio: 'The file is not WAV, FLAC or Ogg Opus. Convert it, for example with ffmpeg.',
  invalid_audio: 'The file is damaged or has no audio. The message names the problem.',
  audio_too_long: 'The file has more than 2 hours of audio. Split it, or use a stream.',
  missing_api_key: 'Send `Authorization: Bearer <API_KEY>` from your server.',
  invalid_api_key: 'The key does not exist. Check that you copied all of it and that it belongs to this service.',
  expired_api_key: 'The key has expired. Ask the administrator of the service for a new one.',
  revoked_api_key: 'The key was revoked. Use another key of the account, or ask the administrator for a new one.',
  invalid_session_credential:
    'Response to a WebSocket handshake. A credential works once, within 60 seconds. Create a new session.',
  insufficient_credits:
    'Less than one second of credit is available. Ask for more, or wait for running sessions to return unused credit.',
  account_inactive: 'The account awaits approval or was suspended. Ask the administrator of the service.',
  model_scope_denied: 'The account or the API key may not use this model. Use another one, or ask for access.',
  key_scope_denied: 'The API key lacks the scope that the message names. Use another key of the account.',
  model_not_found: 'The model does not exist. Use an `id` from `GET /v1/models`.',
  session_not_found:
    'The id belongs to another account, is not the id of a session, or the session ended long ago. Check the id.',
  not_found: 'The path does not exist. Check the address.',
  method_not_allowed: 'Use a method that the header `Allow` lists.',
  idempotency_conflict: 'The key was used with a different body. Use a new key for each session.',
  request_too_large: 'The body exceeds 16 KiB, or the file 25 MiB. Split the file, or send its audio to a stream.',
  unsupported_media_type:
    'Send `Content-Type: application/json`, in UTF-8 and uncompressed. Send files as `multipart/form-data`.',
  concurrency_limit_exceeded:
    'The account already has a reserved or active session. Close its stream, free the place with `DELETE /v1/asr/sessions/{id}`, or wait until the reservation expires. Try again after `Retry-After` seconds.',
  rate_limit_exceeded: 'Too many requests. Wait `Retry-After` seconds, then back off exponentially.',
  service_unavailable:
    'Part of the service is unavailable. Retry after `Retry-After` seconds, with exponential backoff and the same `Idempotency-Key`.',
  no_capacity:
    'All recognition slots of the model are in use, or the service has as many streams as it can hold. Retry after `Retry-After` seconds, with exponential backoff and the same `Idempotency-Key`.',
};
