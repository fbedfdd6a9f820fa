import { MEMBER_ROLES } from '@svc-asr/core';
import type { MemberRole } from '@svc-asr/core';

/**
 * Least role that may send each request of the developer API. `*` stands for one part of the path. Requests that are
 * not listed need no tenant: sign-in, the session, the waitlist, and the preview and acceptance of an invitation.
 */
export const LEAST_ROLES: Readonly<Record<string, MemberRole>> = {
  'GET /console/v1/account': 'viewer',
  'GET /console/v1/usage': 'viewer',
  'GET /console/v1/sessions': 'viewer',
  'GET /console/v1/sessions/*': 'viewer',
  'GET /console/v1/refusals': 'viewer',
  'GET /console/v1/models': 'viewer',
  'GET /console/v1/keys': 'viewer',
  'POST /console/v1/keys': 'developer',
  'DELETE /console/v1/keys/*': 'developer',
  'POST /console/v1/keys/*/rotate': 'developer',
  'POST /console/v1/credit-requests': 'developer',
  'POST /console/v1/playground/sessions': 'developer',
  'GET /console/v1/members': 'viewer',
  'PATCH /console/v1/members/*': 'owner',
  'DELETE /console/v1/members/*': 'owner',
  'POST /console/v1/invitations': 'owner',
  'DELETE /console/v1/invitations/*': 'owner',
  'POST /console/v1/link': 'owner',
  'DELETE /console/v1/link': 'owner',
};

const PATTERNS = Object.entries(LEAST_ROLES).map(([request, role]) => {
  const [method = '', path = ''] = request.split(' ');
  return { method, pattern: new RegExp(`^${path.replaceAll('*', '[^/]+')}$`), role };
});

/** Returns the least role that may send a request. Undefined if the request needs no tenant. */
export function leastRoleFor(method: string, path: string): MemberRole | undefined {
  const asked = method === 'HEAD' ? 'GET' : method;
  return PATTERNS.find((entry) => entry.method === asked && entry.pattern.test(path))?.role;
}

/** Returns true if a role has all rights of another one. */
export function includesRole(role: MemberRole, other: MemberRole): boolean {
  return MEMBER_ROLES.indexOf(role) <= MEMBER_ROLES.indexOf(other);
}
