import type { Router } from 'express';
import { findSession, listSessions } from '../history/sessions.ts';
import { valid } from '../http/body.ts';
import { methodNotAllowed } from '../http/error-handler.ts';
import { checkNoQuery } from '../http/query.ts';
import type { DeveloperDeps } from './deps.ts';
import type { SignedIn } from './find-session.ts';

/** Serves the sessions of the signed-in developer's tenant. */
export function routeSessions(router: Router, { ledger }: Pick<DeveloperDeps, 'ledger'>, signedIn: SignedIn): void {
  router
    .route('/console/v1/sessions')
    .get(async (request, response) => {
      const { name } = (await signedIn(request)).metadata;
      response.json(await listSessions(ledger, name, request.query));
    })
    .all(methodNotAllowed('GET, HEAD'));

  router
    .route('/console/v1/sessions/:id')
    .get(async (request, response) => {
      valid(checkNoQuery(request.query));
      const { name } = (await signedIn(request)).metadata;
      response.json(await findSession(ledger, name, request.params.id));
    })
    .all(methodNotAllowed('GET, HEAD'));
}
