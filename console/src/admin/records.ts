import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Router } from 'express';
import type { Deps } from '../deps.ts';
import { ConsoleError } from '../errors.ts';
import { journalLines } from '../tenants/journal.ts';
import { viewUsage } from '../tenants/view.ts';
import { valid } from '../http/body.ts';
import { methodNotAllowed } from '../http/refusals.ts';
import { readUsageQuery } from '../http/query.ts';
import { checkJournalQuery } from './schemas.ts';

/** What the ledger recorded of a tenant; that of a deleted one too, for as long as its account is kept. */
export function routeRecords(router: Router, { store, ledger, settings, logger }: Deps): void {
  async function checkKnown(name: string): Promise<void> {
    if ((await store.get('Tenant', name)) !== undefined) return;
    if ((await ledger.accounts.read(name)) === undefined) throw new ConsoleError('tenant_not_found');
  }

  router
    .route('/admin/v1/tenants/:name/journal')
    .get(async (request, response) => {
      const { name } = request.params;
      const { after } = valid(checkJournalQuery(request.query));
      await checkKnown(name);
      const count = settings.JOURNAL_PAGE_ENTRIES;
      const read = (from: string | undefined) =>
        ledger.journal.read(name, from === undefined ? { count } : { after: from, count });
      // The first page before the status is sent, so that an absent Redis is a 503 and not half an answer.
      const first = await read(after);
      response.type('application/x-ndjson');
      try {
        await pipeline(Readable.from(journalLines(name, first, count, read)), response);
      } catch (err) {
        // The connection is broken off by now, which tells the reader that the export is not whole.
        logger.warn({ err, tenant: name }, 'the export of a journal ended early');
      }
    })
    .all(methodNotAllowed('GET, HEAD'));

  router
    .route('/admin/v1/tenants/:name/usage')
    .get(async (request, response) => {
      const { name } = request.params;
      const days = readUsageQuery(request.query);
      await checkKnown(name);
      response.json(viewUsage(name, days, await ledger.accounts.dailyUsage(name, days)));
    })
    .all(methodNotAllowed('GET, HEAD'));
}
