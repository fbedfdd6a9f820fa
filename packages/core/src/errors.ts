/**
 * Catalogue of the errors of the HTTP API. `code` is stable and identifies the cause. `type` groups similar codes.
 * `message` is used if the thrower gives no more specific message.
 */
export const ERRORS = {
  invalid_json: { status: 400, type: 'invalid_request_error', message: 'The request body is not valid JSON.' },
  invalid_parameters: { status: 400, type: 'invalid_request_error', message: 'A parameter is invalid.' },
  invalid_idempotency_key: {
    status: 400,
    type: 'invalid_request_error',
    message: 'Idempotency-Key must be 1 to 128 characters of A-Z, a-z, 0-9, ".", "_", ":" and "-".',
  },
  unsupported_audio: {
    status: 400,
    type: 'invalid_request_error',
    message: 'The file is not in a supported audio format. Send WAV, FLAC or Ogg Opus.',
  },
  invalid_audio: { status: 400, type: 'invalid_request_error', message: 'The audio of the file cannot be read.' },
  audio_too_long: {
    status: 400,
    type: 'invalid_request_error',
    message: 'The file has more than 2 hours of audio. Split it, or use a stream.',
  },
  missing_api_key: {
    status: 401,
    type: 'authentication_error',
    message: 'No API key was sent. Send the header "Authorization: Bearer <API_KEY>".',
  },
  invalid_api_key: { status: 401, type: 'authentication_error', message: 'The API key is not valid.' },
  expired_api_key: { status: 401, type: 'authentication_error', message: 'The API key has expired. Create a new one.' },
  revoked_api_key: {
    status: 401,
    type: 'authentication_error',
    message: 'The API key has been revoked. Use another key of the account.',
  },
  invalid_session_credential: {
    status: 401,
    type: 'authentication_error',
    message: 'The session credential is wrong, used or expired. Create a new session.',
  },
  insufficient_credits: {
    status: 402,
    type: 'insufficient_credits',
    message: 'Less than one second of audio credit is left. Ask the administrator of the service for more.',
  },
  account_inactive: { status: 403, type: 'permission_error', message: 'The account is not active.' },
  model_scope_denied: { status: 403, type: 'permission_error', message: 'The account may not use this model.' },
  key_scope_denied: { status: 403, type: 'permission_error', message: 'The API key lacks the scope for this request.' },
  model_not_found: {
    status: 404,
    type: 'model_not_found',
    message: 'The requested ASR model does not exist. GET /v1/models lists those that do.',
  },
  session_not_found: {
    status: 404,
    type: 'not_found',
    message: 'The account has no session with this id, or the session ended too long ago.',
  },
  not_found: { status: 404, type: 'not_found', message: 'There is nothing at this path.' },
  method_not_allowed: {
    status: 405,
    type: 'invalid_request_error',
    message: 'This path does not support the method. The header Allow lists the supported methods.',
  },
  idempotency_conflict: {
    status: 409,
    type: 'idempotency_conflict',
    message: 'This Idempotency-Key was used with another request body. Use a new key for a new request.',
  },
  request_too_large: { status: 413, type: 'request_too_large', message: 'The request body is larger than 16 KiB.' },
  unsupported_media_type: {
    status: 415,
    type: 'unsupported_media_type',
    message: 'Content-Type must be application/json in UTF-8, without content encoding.',
  },
  concurrency_limit_exceeded: {
    status: 429,
    type: 'rate_limit_error',
    message:
      'The account already has an active or reserved ASR session. Close its stream, or free the place with DELETE /v1/asr/sessions/{id}.',
  },
  rate_limit_exceeded: {
    status: 429,
    type: 'rate_limit_error',
    message: 'Too many requests. Wait as long as Retry-After says.',
  },
  service_unavailable: {
    status: 503,
    type: 'api_error',
    message: 'The service is temporarily unavailable. Retry as Retry-After says, with the same Idempotency-Key.',
  },
  no_capacity: {
    status: 503,
    type: 'api_error',
    message: 'Every recognition slot of this model is taken. Retry as Retry-After says.',
  },
} as const satisfies Record<string, { status: number; type: string; message: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** Body of every HTTP error. */
export interface ErrorBody {
  error: { type: string; code: string; message: string; request_id: string };
}

/**
 * An error response of the API. Any code that handles a request may throw it. One error handler writes the errors of
 * HTTP routes. Another one writes the errors of WebSocket handshakes.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly type: string;
  /** Value of the Retry-After header in seconds. Set for 429 and 503. */
  readonly retryAfterS: number | undefined;
  /** Additional response headers. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    options: { message?: string; retryAfterS?: number; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    const entry = ERRORS[code];
    super(options.message ?? entry.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.status = entry.status;
    this.type = entry.type;
    const retries = entry.status === 429 || entry.status === 503;
    this.retryAfterS = retries ? Math.max(0, Math.ceil(options.retryAfterS ?? 1)) : undefined;
    this.headers = options.headers ?? {};
  }

  body(requestId: string): ErrorBody {
    return { error: { type: this.type, code: this.code, message: this.message, request_id: requestId } };
  }
}
