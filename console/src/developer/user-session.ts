import type { Request, Response, Router } from 'express';
import { ConsoleError } from '../errors.ts';
import { createJsonReader, valid } from '../http/body.ts';
import { methodNotAllowed } from '../http/error-handler.ts';
import { checkNoQuery } from '../http/query.ts';
import { listMemberships } from '../identity/memberships.ts';
import type { SignedInUser } from '../identity/user-sessions.ts';
import type { ConsoleSessionView } from '../responses.ts';
import { SESSION_COOKIE } from './cookie.ts';
import type { DeveloperDeps } from './deps.ts';
import type { LinkSession, SessionFinder } from './find-session.ts';
import { checkTenantChoice } from './schemas.ts';
import { readUserCookie, writeUserCookie } from './user-cookie.ts';

/** Writes the cookie of a user. The cookie ends with the session. */
export function writeUserSession(
  request: Request,
  response: Response,
  user: SignedInUser,
  tenant: string,
  nowMs: number,
): void {
  const value = writeUserCookie({ token: user.token, tenant });
  SESSION_COOKIE.write(request, response, value, user.expiresAtMs - nowMs);
}

/** Serves the session of the browser: who is signed in, as which tenant, and the end of all sessions of a user. */
export function routeUserSession(router: Router, deps: DeveloperDeps, finder: SessionFinder): void {
  const { reads, identity, settings, now } = deps;
  const hasProvider = identity.provider !== undefined;
  const readJson = createJsonReader(settings.CONSOLE_BODY_BYTES);

  /** Returns the session of a user. The tenant of the cookie counts only if the user is still a member of it. */
  async function viewUser(user: SignedInUser, selected: string): Promise<ConsoleSessionView> {
    const tenants = await listMemberships(reads, user);
    const current = tenants.find(({ tenant }) => tenant === selected);
    return {
      object: 'console_session',
      tenant: current?.tenant ?? null,
      role: current?.role ?? null,
      signed_in_by: 'oidc',
      person: { name: user.name, email: user.email },
      tenants,
      expires_at: new Date(user.expiresAtMs).toISOString(),
      oidc: hasProvider,
    };
  }

  function viewLink({ tenant, role, session }: LinkSession): ConsoleSessionView {
    const { name } = tenant.metadata;
    return {
      object: 'console_session',
      tenant: name,
      role,
      signed_in_by: 'link',
      person: null,
      tenants: [{ tenant: name, display_name: tenant.spec.displayName, role }],
      expires_at: new Date(session.expiresAtMs).toISOString(),
      oidc: hasProvider,
    };
  }

  async function requireUser(request: Request): Promise<SignedInUser> {
    const user = await finder.findUser(request);
    if (user !== undefined) return user;
    const found = await finder.find(request);
    // Without a user, a signed-in request has the session of a private link.
    throw new ConsoleError(found.signedInBy === 'link' ? 'signed_in_by_link' : 'not_signed_in');
  }

  router
    .route('/console/v1/session')
    .get(async (request, response) => {
      valid(checkNoQuery(request.query));
      const user = await finder.findUser(request);
      const selected = readUserCookie(SESSION_COOKIE.read(request) ?? '')?.tenant ?? '';
      if (user !== undefined) {
        response.json(await viewUser(user, selected));
        return;
      }
      const found = await finder.find(request);
      if (found.signedInBy !== 'link') throw new ConsoleError('not_signed_in');
      response.json(viewLink(found));
    })
    .all(methodNotAllowed('GET, HEAD'));

  router
    .route('/console/v1/session/tenant')
    .post(async (request, response) => {
      const user = await requireUser(request);
      const { tenant } = valid(checkTenantChoice(await readJson(request, response)));
      const view = await viewUser(user, tenant);
      // A tenant of other users is reported like a missing one, so that names of tenants cannot be probed.
      if (view.tenant === null) throw new ConsoleError('no_account');
      writeUserSession(request, response, user, tenant, now());
      response.json(view);
    })
    .all(methodNotAllowed('POST'));

  router
    .route('/console/v1/session/all')
    .delete(async (request, response) => {
      const user = await requireUser(request);
      await identity.users.endAll(user);
      SESSION_COOKIE.clear(request, response);
      response.json({ object: 'console_session', tenant: null, ended: 'all' });
    })
    .all(methodNotAllowed('DELETE'));
}
