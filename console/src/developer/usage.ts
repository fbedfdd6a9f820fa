import type { Router } from 'express';
import { sendUsage } from '../history/usage.ts';
import { methodNotAllowed } from '../http/error-handler.ts';
import type { DeveloperDeps } from './deps.ts';
import type { SignedIn } from './find-session.ts';

/** Serves the usage of the signed-in developer's tenant. */
export function routeOwnUsage(
  router: Router,
  { ledger, settings, now }: Pick<DeveloperDeps, 'ledger' | 'settings' | 'now'>,
  signedIn: SignedIn,
): void {
  router
    .route('/console/v1/usage')
    .get(async (request, response) => {
      const { name } = (await signedIn(request)).metadata;
      const options = { nowMs: now(), retentionDays: settings.USAGE_RETENTION_DAYS };
      await sendUsage(ledger, name, { query: request.query, response }, options);
    })
    .all(methodNotAllowed('GET, HEAD'));
}
