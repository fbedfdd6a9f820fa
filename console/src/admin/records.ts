import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Router } from 'express';
import type { Audited } from '../audit/act.ts';
import type { Deps } from '../deps.ts';
import { ConsoleError } from '../errors.ts';
import { journalLines } from '../tenants/journal.ts';
import { viewUsage } from '../tenants/view.ts';
import { valid } from '../http/body.ts';
import { methodNotAllowed } from '../http/error-handler.ts';
import { readUsageQuery } from '../http/query.ts';
import { checkJournalQuery } from './schemas.ts';

/** Serves journal and usage. They remain available for a deleted tenant as long as its account is kept. */
export function routeRecords(router: Router, deps: Deps, audited: Audited): void {
  const { store, ledger, settings, logger } = deps;
  async function checkKnown(name: string): Promise<void> {
    if ((await store.get('Tenant', name)) !== undefined) return;
    if ((await ledger.accounts.read(name)) === undefined) throw new ConsoleError('tenant_not_found');
  }

  router
    .route('/admin/v1/tenants/:name/journal')
    .get(
      audited('tenant.view', async (request, response, act) => {
        const { name } = request.params;
        act.detail = { view: 'journal' };
        const { after } = valid(checkJournalQuery(request.query));
        await checkKnown(name);
        const count = settings.JOURNAL_PAGE_ENTRIES;
        const read = (from: string | undefined) =>
          ledger.journal.read(name, from === undefined ? { count } : { after: from, count });
        // The first page is read before the status is sent. If Redis is unavailable, the response is a 503 and not half a
        // journal.
        const first = await read(after);
        response.type('application/x-ndjson');
        try {
          await pipeline(Readable.from(journalLines(name, first, count, read)), response);
        } catch (err) {
          // The connection is closed at this point, which shows the client that the export is incomplete.
          logger.warn({ err, tenant: name }, 'journal export ended early');
        }
      }),
    )
    .all(methodNotAllowed('GET, HEAD'));

  router
    .route('/admin/v1/tenants/:name/usage')
    .get(
      audited('tenant.view', async (request, response, act) => {
        const { name } = request.params;
        act.detail = { view: 'usage' };
        const days = readUsageQuery(request.query);
        await checkKnown(name);
        response.json(viewUsage(name, days, await ledger.accounts.dailyUsage(name, days)));
      }),
    )
    .all(methodNotAllowed('GET, HEAD'));
}
