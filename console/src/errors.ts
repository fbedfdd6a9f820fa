import { ERRORS } from '@svc-asr/core';
import type { ErrorBody } from '@svc-asr/core';

/**
 * Errors of the console and the admin API. Their response bodies have the same format as errors of the public API.
 * ERRORS defines those errors whose message is the same as in the public API.
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
    message: 'You are not signed in. Open your private link, or ask the administrator for a new one.',
  },
  invalid_link: {
    status: 401,
    type: 'authentication_error',
    message:
      'The private link is not valid. It was used, has expired, was revoked or replaced, or its tenant was deleted. Ask the administrator for a new link, or restart `npm start` on your own machine.',
  },
  sign_in_failed: {
    status: 401,
    type: 'authentication_error',
    message: 'The sign-in at the OpenID provider failed or was cancelled. Sign in again.',
  },
  sign_in_expired: {
    status: 401,
    type: 'authentication_error',
    message: 'The sign-in took too long, or was started in another browser. Sign in again.',
  },
  foreign_origin: {
    status: 403,
    type: 'permission_error',
    message: 'The request comes from a page of another site. Send it from the page of the console.',
  },
  no_account: {
    status: 403,
    type: 'permission_error',
    message: 'You are signed in, but you are not a member of this tenant. Join the waitlist or accept an invitation.',
  },
  no_admin_role: {
    status: 403,
    type: 'permission_error',
    message: 'None of your groups has a role on this page. Ask the operators of the service.',
  },
  insufficient_role: {
    status: 403,
    type: 'permission_error',
    message: 'Your role does not allow this request. Ask an owner of the tenant.',
  },
  not_approved: {
    status: 403,
    type: 'permission_error',
    message: 'The tenant is not active. Only an active tenant can create keys.',
  },
  cluster_refused: {
    status: 403,
    type: 'permission_error',
    message: 'The cluster rejected the request. Check the RBAC rules of the console, quotas and policies.',
  },
  not_found: ERRORS.not_found,
  tenant_not_found: {
    status: 404,
    type: 'not_found',
    message: 'The tenant does not exist. GET /admin/v1/tenants lists all tenants.',
  },
  key_not_found: {
    status: 404,
    type: 'not_found',
    message: 'The key does not exist. GET /admin/v1/keys lists all keys.',
  },
  session_not_found: ERRORS.session_not_found,
  member_not_found: {
    status: 404,
    type: 'not_found',
    message: 'The tenant has no member with this id. GET /console/v1/members lists its members.',
  },
  invitation_not_found: {
    status: 404,
    type: 'not_found',
    message: 'The invitation is not valid. It was accepted, withdrawn or has expired. Ask for a new one.',
  },
  method_not_allowed: ERRORS.method_not_allowed,
  read_only_resource: {
    status: 409,
    type: 'conflict',
    message: 'The resource is defined in a file that the console must not write. Change that file.',
  },
  unreadable_resource: {
    status: 409,
    type: 'conflict',
    message: 'The file of the resource is damaged. Repair or delete the file.',
  },
  being_deleted: {
    status: 409,
    type: 'conflict',
    message: 'The resource is being deleted. Retry when the deletion has finished.',
  },
  last_owner: {
    status: 409,
    type: 'conflict',
    message: 'The member is the last owner of the tenant. Give the role owner to another member first.',
  },
  other_tenant: {
    status: 409,
    type: 'conflict',
    message: 'You switched to another account in another tab, and nothing was changed. Reload this page.',
  },
  already_member: { status: 409, type: 'conflict', message: 'You are already a member of this tenant.' },
  too_many_members: {
    status: 409,
    type: 'conflict',
    message: 'The tenant has reached its maximum number of members and invitations. Remove one that is not needed.',
  },
  signed_in_by_link: {
    status: 409,
    type: 'conflict',
    message: 'You are signed in with a private link, and the request needs a user. Sign in with your account.',
  },
  write_conflict: {
    status: 409,
    type: 'conflict',
    message: 'Other writers changed the resource at the same time, and nothing was written. Retry.',
  },
  application_decided: {
    status: 409,
    type: 'conflict',
    message: 'The tenant has no pending application. Change the state of the tenant instead.',
  },
  link_expired: {
    status: 409,
    type: 'conflict',
    message:
      'The private link of the tenant has expired or was revoked. Create a new one with POST /admin/v1/tenants/NAME/link.',
  },
  too_many_keys: {
    status: 409,
    type: 'conflict',
    message: 'The tenant has reached its maximum number of keys. Revoke a key that is not needed.',
  },
  grant_conflict: {
    status: 409,
    type: 'conflict',
    message: 'A grant with this id and another amount exists. Grants cannot be changed. Use a new id.',
  },
  too_many_grants: {
    status: 409,
    type: 'conflict',
    message:
      'The tenant has reached its maximum number of grants. Remove old grants from the resource. Their credit is kept.',
  },
  tenant_has_live_sessions: {
    status: 409,
    type: 'conflict',
    message: 'The tenant has live sessions, and nothing was removed. Wait until they end, or delete the tenant first.',
  },
  ledger_not_missing: {
    status: 409,
    type: 'conflict',
    message:
      'The ledger is not missing, or the operator has not published a rebuild plan yet. See GET /admin/v1/ledger.',
  },
  ledger_conflict: {
    status: 409,
    type: 'conflict',
    message: 'The ledger_id is not the id of the missing ledger. GET /admin/v1/ledger returns that id.',
  },
  tenant_exists: { status: 412, type: 'precondition_failed', message: 'A tenant with this name exists already.' },
  request_too_large: { status: 413, type: 'request_too_large', message: 'The request body is too large.' },
  unsupported_media_type: ERRORS.unsupported_media_type,
  rate_limit_exceeded: {
    status: 429,
    type: 'rate_limit_error',
    message: 'Too many attempts from this address. Retry after the time in Retry-After.',
  },
  internal_error: {
    status: 500,
    type: 'api_error',
    message: 'The console failed. Its log contains the cause under this request id.',
  },
  waitlist_full: {
    status: 503,
    type: 'api_error',
    message: 'The waitlist is full. Try again in a few days, or contact the administrator.',
  },
  gateway_unavailable: {
    status: 503,
    type: 'api_error',
    message: 'No gateway can be reached, and the playground needs one. Retry after the time in Retry-After.',
  },
  identity_provider_unavailable: {
    status: 503,
    type: 'api_error',
    message: 'The OpenID provider is unavailable. Retry in a minute, or sign in with your private link.',
  },
  operator_unavailable: {
    status: 503,
    type: 'api_error',
    message: 'The operator did not finish in time. Check that it is running, and repeat the request.',
  },
  service_unavailable: {
    status: 503,
    type: 'api_error',
    message: 'Redis is unavailable, and this request needs it. Retry after the time in Retry-After.',
  },
} as const satisfies Record<string, { status: number; type: string; message: string }>;

export type ConsoleErrorCode = keyof typeof CONSOLE_ERRORS;

/** An error with its HTTP response. Code that handles a request throws it, and `handleError` sends it. */
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
