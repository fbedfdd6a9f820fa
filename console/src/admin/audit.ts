import type { Router } from 'express';
import { viewEntry } from '../audit/entry.ts';
import type { Deps } from '../deps.ts';
import { valid } from '../http/body.ts';
import { methodNotAllowed } from '../http/error-handler.ts';
import { withNumbers } from '../http/query.ts';
import type { AuditView } from '../responses.ts';
import { checkAuditQuery } from './schemas.ts';

/** Serves the audit log, newest entry first. */
export function routeAudit(router: Router, { audit }: Deps): void {
  router
    .route('/admin/v1/audit')
    .get(async (request, response) => {
      const filter = valid(checkAuditQuery(withNumbers(request.query, ['limit'])));
      const { entries, hasMore } = await audit.find(filter);
      const view: AuditView = { object: 'list', data: entries.map(viewEntry), has_more: hasMore };
      response.json(view);
    })
    .all(methodNotAllowed('GET, HEAD'));
}
