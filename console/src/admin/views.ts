import type { Request, Response, Router } from 'express';
import type { Audited } from '../audit/act.ts';
import type { Deps } from '../deps.ts';
import { ConsoleError } from '../errors.ts';
import { listRefusals } from '../history/refusals.ts';
import { listSessions } from '../history/sessions.ts';
import { valid } from '../http/body.ts';
import { methodNotAllowed } from '../http/error-handler.ts';
import { checkNoQuery } from '../http/query.ts';
import { viewKeys } from '../keys/list.ts';
import { keysOf } from '../resources/keys-of.ts';

/** Returns the body of a response about a tenant. */
type ReadView = (name: string, query: Request['query']) => Promise<object>;

/**
 * Serves the keys, sessions and refused requests of a tenant to administrators. These requests change nothing but the
 * audit log.
 */
export function routeViews(router: Router, { store, ledger }: Deps, audited: Audited): void {
  const views: Readonly<Record<string, ReadView>> = {
    keys: async (name, query) => {
      valid(checkNoQuery(query));
      return { object: 'list', ...(await viewKeys(ledger, await keysOf(store, name))) };
    },
    sessions: (name, query) => listSessions(ledger, name, query),
    refusals: (name, query) => listRefusals(ledger, name, query),
  };

  for (const [view, read] of Object.entries(views)) {
    router
      .route(`/admin/v1/tenants/:name/${view}`)
      .get(
        audited('tenant.view', async (request: Request<{ name: string }>, response: Response, act) => {
          const { name } = request.params;
          act.detail = { view };
          if ((await store.get('Tenant', name)) === undefined) throw new ConsoleError('tenant_not_found');
          response.json(await read(name, request.query));
        }),
      )
      .all(methodNotAllowed('GET, HEAD'));
  }
}
