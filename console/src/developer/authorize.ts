import type { Request, RequestHandler } from 'express';
import type { Actor } from '../audit/entry.ts';
import { ConsoleError } from '../errors.ts';
import { includesRole, leastRoleFor } from '../identity/roles.ts';
import type { SignedInUser } from '../identity/user-sessions.ts';
import type { FindSession, FoundSession, SignedIn } from './find-session.ts';

const sessions = new WeakMap<Request, FoundSession>();

/** Header with the tenant that the page shows. Another tab may have switched the session to another tenant. */
const TENANT_HEADER = 'x-svc-asr-tenant';

/**
 * Creates the handler that refuses a request if the role of its user is too low for the route. It also refuses a request
 * whose header names another tenant than its session. It runs before the body of the request is read.
 */
export function createAuthorize(findSession: FindSession): RequestHandler {
  return async (request, _response, next) => {
    const least = leastRoleFor(request.method, request.path);
    if (least !== undefined) {
      const found = await findSession(request);
      const meant = request.headers[TENANT_HEADER] ?? found.tenant.metadata.name;
      if (meant !== found.tenant.metadata.name) throw new ConsoleError('other_tenant');
      if (!includesRole(found.role, least)) {
        throw new ConsoleError('insufficient_role', {
          message: `Your role in this tenant is ${found.role}. This request needs the role ${least}. Ask an owner of the tenant.`,
        });
      }
      sessions.set(request, found);
    }
    next();
  };
}

/** Returns the session of an authorized request. Throws if LEAST_ROLES does not list the route. */
export function sessionOf(request: Request): FoundSession {
  const found = sessions.get(request);
  if (found === undefined) throw new Error(`add ${request.method} ${request.path} to LEAST_ROLES`);
  return found;
}

/** Returns the tenant of an authorized request. */
export const signedInTenant: SignedIn = (request) => Promise.resolve(sessionOf(request).tenant);

/** Returns who sent a request, for the audit log. Undefined for a route that does not require a role. */
export function actorOf(request: Request): Actor | undefined {
  const found = sessions.get(request);
  if (found === undefined) return undefined;
  // Nothing identifies the holder of a private link.
  return found.signedInBy === 'link' ? { actor: 'developer:link', name: null } : userActor(found.user);
}

/** Returns a signed-in user as the actor of an audit entry. */
export function userActor({ issuer, subject, name }: SignedInUser): Actor {
  return { actor: `developer:oidc:${issuer}#${subject}`, name };
}
