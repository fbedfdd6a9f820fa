import { ERRORS } from '@svc-asr/core';
import type { ErrorBody } from '@svc-asr/core';

/**
 * Every error that the admin API can answer, in the body form of the public API. What both know has one wording; the
 * rest is about tenants, grants and keys.
 */
export const CONSOLE_ERRORS = {
  invalid_json: ERRORS.invalid_json,
  invalid_parameters: ERRORS.invalid_parameters,
  missing_admin_token: {
    status: 401,
    type: 'authentication_error',
    message: 'No admin token was sent. Send the header "Authorization: Bearer <ADMIN_TOKEN>".',
  },
  invalid_admin_token: { status: 401, type: 'authentication_error', message: 'The admin token is not valid.' },
  not_signed_in: {
    status: 401,
    type: 'authentication_error',
    message: 'Nobody is signed in. Open your private link; whoever lost it asks the administrator for a new one.',
  },
  invalid_link: {
    status: 401,
    type: 'authentication_error',
    message:
      'The private link is not valid: it was replaced by a newer one, or its tenant is gone. Ask the administrator.',
  },
  foreign_origin: {
    status: 403,
    type: 'permission_error',
    message: 'The request was made by a page of another site.',
  },
  not_approved: {
    status: 403,
    type: 'permission_error',
    message: 'The tenant is not active, so it cannot have new keys.',
  },
  cluster_refused: {
    status: 403,
    type: 'permission_error',
    message: 'The cluster refused it: the rights of the console, a quota or a policy do not allow it.',
  },
  not_found: ERRORS.not_found,
  tenant_not_found: {
    status: 404,
    type: 'not_found',
    message: 'There is no such tenant. GET /admin/v1/tenants lists those that exist.',
  },
  key_not_found: {
    status: 404,
    type: 'not_found',
    message: 'There is no such key. GET /admin/v1/keys lists those that exist.',
  },
  method_not_allowed: ERRORS.method_not_allowed,
  read_only_resource: {
    status: 409,
    type: 'conflict',
    message: 'The resource is defined in a file that the console does not own. Change it there.',
  },
  unreadable_resource: {
    status: 409,
    type: 'conflict',
    message: 'The file of the resource cannot be read as one. Repair or remove it.',
  },
  being_deleted: {
    status: 409,
    type: 'conflict',
    message: 'The resource is being deleted. Repeat this when it is gone.',
  },
  write_conflict: {
    status: 409,
    type: 'conflict',
    message: 'Others kept changing the resource at the same time, and nothing was written. Repeat it.',
  },
  application_decided: {
    status: 409,
    type: 'conflict',
    message: 'There is no application to decide about. Change the state of the tenant instead.',
  },
  too_many_keys: {
    status: 409,
    type: 'conflict',
    message: 'The tenant has as many keys as it may have. Revoke those that are not needed.',
  },
  grant_conflict: {
    status: 409,
    type: 'conflict',
    message: 'A grant of that id exists with another amount. Use a new id: a grant is never changed.',
  },
  too_many_grants: {
    status: 409,
    type: 'conflict',
    message: 'The tenant has as many grants as its resource can list. Remove old ones from it: their credit stays.',
  },
  ledger_not_missing: {
    status: 409,
    type: 'conflict',
    message:
      'The ledger is not missing, or no operator has told what a rebuild would do. GET /admin/v1/ledger shows it.',
  },
  ledger_conflict: {
    status: 409,
    type: 'conflict',
    message: 'The ledger_id is not that of the missing ledger. GET /admin/v1/ledger shows it.',
  },
  tenant_exists: { status: 412, type: 'precondition_failed', message: 'A tenant of that name exists already.' },
  request_too_large: { status: 413, type: 'request_too_large', message: 'The request body is too large.' },
  unsupported_media_type: ERRORS.unsupported_media_type,
  rate_limit_exceeded: {
    status: 429,
    type: 'rate_limit_error',
    message: 'Too many attempts from this address. Wait as long as Retry-After says.',
  },
  internal_error: {
    status: 500,
    type: 'api_error',
    message: 'Something failed in the console. Its log has the reason under this request id.',
  },
  waitlist_full: {
    status: 503,
    type: 'api_error',
    message: 'The waitlist is full. Try again in some days, or write to the administrator.',
  },
  service_unavailable: {
    status: 503,
    type: 'api_error',
    message: 'Redis does not answer, and this request needs it. Retry as Retry-After says.',
  },
} as const satisfies Record<string, { status: number; type: string; message: string }>;

export type ConsoleErrorCode = keyof typeof CONSOLE_ERRORS;

/** An error that the admin API answers with; thrown anywhere in a request, written by one handler. */
export class ConsoleError extends Error {
  override readonly name = 'ConsoleError';
  readonly code: ConsoleErrorCode;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ConsoleErrorCode,
    options: { message?: string; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(
      options.message ?? CONSOLE_ERRORS[code].message,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.code = code;
    this.status = CONSOLE_ERRORS[code].status;
    this.headers = options.headers ?? {};
  }

  body(requestId: string): ErrorBody {
    const { type } = CONSOLE_ERRORS[this.code];
    return { error: { type, code: this.code, message: this.message, request_id: requestId } };
  }
}
