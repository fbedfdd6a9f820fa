import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Router } from 'express';
import { nameView } from '../audit/act.ts';
import type { Audited } from '../audit/act.ts';
import type { Deps } from '../deps.ts';
import { ConsoleError } from '../errors.ts';
import { checkRange, dateOf, DAY_MS } from '../history/range.ts';
import { valid } from '../http/body.ts';
import { methodNotAllowed } from '../http/error-handler.ts';
import { usageLines } from '../tenants/usage-export.ts';
import { checkUsageExportQuery } from './schemas.ts';

/** Serves the usage of all tenants by day and model, including deleted tenants whose account is kept. */
export function routeUsage(router: Router, { ledger, settings, logger, now }: Deps, audited: Audited): void {
  router
    .route('/admin/v1/usage')
    .get(
      audited('tenant.view', async (request, response, act) => {
        const { from, to, format, tenant } = valid(checkUsageExportQuery(request.query));
        nameView(act, 'usage', tenant);
        checkRange(from, to, dateOf(now() - settings.USAGE_RETENTION_DAYS * DAY_MS));
        // Days in the future have no usage. Tomorrow is included, because the clock of Redis may be ahead.
        const tomorrow = dateOf(now() + DAY_MS);
        const last = to < tomorrow ? to : tomorrow;
        // The list is read before the status is sent. If Redis is unavailable, the response is a 503.
        const known = await ledger.journal.tenants();
        if (tenant !== undefined && !known.includes(tenant)) throw new ConsoleError('tenant_not_found');
        const tenants = tenant === undefined ? known.sort() : [tenant];
        response.type(format === 'csv' ? 'text/csv' : 'application/x-ndjson');
        const read = (name: string) => ledger.accounts.usageBetween(name, from, last);
        try {
          await pipeline(Readable.from(usageLines(tenants, format, read)), response);
        } catch (err) {
          // The connection is closed at this point, which shows the client that the export is incomplete.
          logger.warn({ err }, 'usage export ended early');
        }
      }),
    )
    .all(methodNotAllowed('GET, HEAD'));
}
