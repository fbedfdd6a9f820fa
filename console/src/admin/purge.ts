import type { Router } from 'express';
import type { Audited } from '../audit/act.ts';
import type { Deps } from '../deps.ts';
import { createJsonReader, valid } from '../http/body.ts';
import { methodNotAllowed } from '../http/error-handler.ts';
import { countTenant, purgeTenant } from '../tenants/purge.ts';
import { checkPurgeRequest } from './schemas.ts';

/**
 * Time between two checks for the answer of the operator, or for the deletion of resources. Each check of the deletion
 * lists all ApiKeys and Members.
 */
const INTERVAL_MS = 200;

/** Serves the removal of all data of a tenant. Without `confirm` it only counts the data. */
export function routePurge(router: Router, { store, ledger, settings, logger }: Deps, audited: Audited): void {
  const readJson = createJsonReader(settings.ADMIN_BODY_BYTES);
  const polling = { timeoutMs: settings.PURGE_TIMEOUT_MS, intervalMs: INTERVAL_MS };

  router
    .route('/admin/v1/tenants/:name/purge')
    .post(
      audited('tenant.purge', async (request, response, act) => {
        const { name } = request.params;
        // The audit entry must not name the tenant, because a purge removes all data of the tenant, its name included.
        act.tenant = null;
        act.target = 'purged';
        const { confirm = false } = valid(checkPurgeRequest(await readJson(request, response)));
        if (!confirm) {
          act.action = 'tenant.purge_preview';
          act.target = 'preview';
          const found = await countTenant({ store, ledger }, name, polling);
          // If there is data to purge, the entry may name the tenant. A later purge removes the name from the entry.
          if (Object.values(found.remaining).some((count) => count > 0)) {
            act.tenant = name;
            act.target = `tenant/${name}`;
          }
          response.json(found);
          return;
        }
        const report = await purgeTenant({ store, ledger }, name, polling, () => (act.entry = 'always'));
        logger.warn({ tenant: name, reason: report.complete ? 'complete' : 'incomplete' }, 'tenant purged');
        act.detail = { complete: report.complete };
        response.json(report);
      }),
    )
    .all(methodNotAllowed('POST'));
}
