import type { Router } from 'express';
import { listRefusals } from '../history/refusals.ts';
import { methodNotAllowed } from '../http/error-handler.ts';
import type { DeveloperDeps } from './deps.ts';
import type { SignedIn } from './find-session.ts';

/** Serves the refused API requests of the signed-in developer's tenant. */
export function routeRefusals(router: Router, { ledger }: Pick<DeveloperDeps, 'ledger'>, signedIn: SignedIn): void {
  router
    .route('/console/v1/refusals')
    .get(async (request, response) => {
      const { name } = (await signedIn(request)).metadata;
      response.json(await listRefusals(ledger, name, request.query));
    })
    .all(methodNotAllowed('GET, HEAD'));
}
