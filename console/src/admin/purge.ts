import type { Router } from 'express';
import type { Deps } from '../deps.ts';
import { createJsonReader, valid } from '../http/body.ts';
import { methodNotAllowed } from '../http/error-handler.ts';
import { countTenant, purgeTenant } from '../tenants/purge.ts';
import { checkPurgeRequest } from './schemas.ts';

/** Interval between two checks while a response waits. Each check lists all ApiKeys. */
const INTERVAL_MS = 200;

/** Serves the removal of everything of a tenant. Without `confirm` it only counts what it would remove. */
export function routePurge(router: Router, { store, ledger, settings, logger }: Deps): void {
  const readJson = createJsonReader(settings.ADMIN_BODY_BYTES);
  const polling = { timeoutMs: settings.PURGE_TIMEOUT_MS, intervalMs: INTERVAL_MS };

  router
    .route('/admin/v1/tenants/:name/purge')
    .post(async (request, response) => {
      const { name } = request.params;
      const { confirm = false } = valid(checkPurgeRequest(await readJson(request, response)));
      if (!confirm) {
        response.json(await countTenant({ store, ledger }, name, polling));
        return;
      }
      const report = await purgeTenant({ store, ledger }, name, polling);
      logger.warn({ tenant: name, reason: report.complete ? 'complete' : 'incomplete' }, 'tenant purged');
      response.json(report);
    })
    .all(methodNotAllowed('POST'));
}
