import type { Request, Router } from 'express';
import type { Audited } from '../../audit/act.ts';
import type { Deps } from '../../deps.ts';
import { ConsoleError } from '../../errors.ts';
import { createJsonReader, valid } from '../../http/body.ts';
import { methodNotAllowed } from '../../http/error-handler.ts';
import { checkSameOrigin } from '../../http/same-origin.ts';
import type { AdminSessionView, AdminSignInMethodsView } from '../../responses.ts';
import { checkAdminSignIn } from '../schemas.ts';
import { TOKEN_HOLDER } from './administrator.ts';
import type { Administrator } from './administrator.ts';
import type { TokenCheck } from './authenticate.ts';
import type { AdminSessions } from './sessions.ts';

/** Maximum size of the body of a sign-in, which is read before the request is authenticated. */
const BODY_BYTES = 8192;

const notSignedIn = () =>
  new ConsoleError('not_signed_in', { message: 'You are not signed in. Sign in with the admin token.' });

/**
 * Serves the sign-in of administrators. Add these routes before the authentication. A route that needs a session must
 * check the session itself.
 */
export function routeAdminSignIn(
  router: Router,
  { provider, settings }: Pick<Deps, 'provider' | 'settings'>,
  sessions: AdminSessions,
  { isToken, refuse }: TokenCheck,
  audited: Audited,
): void {
  const readJson = createJsonReader(BODY_BYTES);

  async function find(request: Request) {
    const session = await sessions.find(request);
    if (session === 'forged') return refuse(request, notSignedIn());
    if (session === undefined) throw notSignedIn();
    return session;
  }

  router
    .route('/admin/v1/session')
    .get(async (request, response) => {
      const given = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
      if (given !== undefined) {
        if (!isToken(given)) refuse(request, new ConsoleError('invalid_admin_token'));
        response.json(viewSession(TOKEN_HOLDER, null));
        return;
      }
      const { administrator, expiresAtMs } = await find(request);
      response.json(viewSession(administrator, expiresAtMs));
    })
    .all(methodNotAllowed('GET, HEAD'));

  router
    .route('/admin/v1/sign-in')
    .get((_request, response) => {
      const oidc = provider !== undefined && settings.OIDC_ADMIN_GROUPS.size > 0;
      const view: AdminSignInMethodsView = { object: 'sign_in_methods', token: true, oidc };
      response.json(view);
    })
    .post(
      audited('administrator.sign_in', async (request, response, act) => {
        checkSameOrigin(request);
        const { token } = valid(checkAdminSignIn(await readJson(request, response)));
        if (!isToken(token)) refuse(request, new ConsoleError('invalid_admin_token'));
        act.actor = TOKEN_HOLDER;
        act.target = `administrator/${TOKEN_HOLDER.actor}`;
        const { administrator, expiresAtMs } = sessions.start(request, response, TOKEN_HOLDER);
        response.json(viewSession(administrator, expiresAtMs));
      }),
    )
    .delete(
      audited('administrator.sign_out', async (request, response, act) => {
        checkSameOrigin(request);
        const session = await find(request);
        act.actor = session.administrator;
        act.target = `administrator/${session.administrator.actor}`;
        const applied = await sessions.end(request, response, session);
        response.json({ object: 'admin_session', revoked: true, applied });
      }),
    )
    .all(methodNotAllowed('GET, HEAD, POST, DELETE'));
}

/** Serves the end of all sessions of administrators. */
export function routeAdminSessions(router: Router, sessions: AdminSessions, audited: Audited): void {
  router
    .route('/admin/v1/sessions')
    .delete(
      audited('administrator.sign_out_all', async (_request, response, act) => {
        act.target = 'administrators';
        response.json({ object: 'admin_sessions', revoked: true, applied: await sessions.endAll() });
      }),
    )
    .all(methodNotAllowed('DELETE'));
}

function viewSession({ actor, name, signedInBy, role }: Administrator, expiresAtMs: number | null): AdminSessionView {
  return {
    object: 'admin_session',
    actor,
    name,
    signed_in_by: signedInBy,
    role,
    expires_at: expiresAtMs === null ? null : new Date(expiresAtMs).toISOString(),
  };
}
