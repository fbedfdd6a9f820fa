import type { Router } from 'express';
import { createLink, isLinkExpired, withLink } from '../applications/link.ts';
import type { Audited } from '../audit/act.ts';
import type { Deps } from '../deps.ts';
import { ConsoleError } from '../errors.ts';
import { methodNotAllowed } from '../http/error-handler.ts';
import type { AdminLinkView } from '../responses/administration.ts';

const DAY_MS = 86_400_000;

/** Creates private links and sign-in codes of tenants. */
export function routeLinks(router: Router, deps: Deps, audited: Audited): void {
  const { store, peppers, codes, settings, logger, now } = deps;

  function viewLink(tenant: string, token: string, expiresAtMs: number): AdminLinkView {
    const path = `/#${token}`;
    const url = settings.CONSOLE_URL === '' ? null : `${settings.CONSOLE_URL}${path}`;
    return { object: 'link', tenant, token, path, url, expires_at: new Date(expiresAtMs).toISOString() };
  }

  router
    .route('/admin/v1/tenants/:name/link')
    .post(
      audited('link.create', async (request, response) => {
        const { name } = request.params;
        const found = await store.get('Tenant', name);
        if (found === undefined) throw new ConsoleError('tenant_not_found');
        // The token is generated outside of the update, because a store may run the update several times.
        const expiresAtMs = now() + settings.LINK_DAYS * DAY_MS;
        const { token } = createLink(found.resource, peppers, expiresAtMs);
        await store.update('Tenant', name, (tenant) => {
          if (tenant === undefined) throw new ConsoleError('tenant_not_found');
          return withLink(tenant, token, peppers, expiresAtMs);
        });
        logger.info({ tenant: name }, 'private link replaced');
        response.status(201).json(viewLink(name, token, expiresAtMs));
      }),
    )
    .all(methodNotAllowed('POST'));

  router
    .route('/admin/v1/tenants/:name/sign-in')
    .post(
      audited('sign_in_code.create', async (request, response) => {
        const { name } = request.params;
        const found = await store.get('Tenant', name);
        if (found === undefined) throw new ConsoleError('tenant_not_found');
        // A session is valid only while the link of its tenant is valid. While the link is expired, a sign-in code
        // would therefore not work.
        if (isLinkExpired(found.resource, now())) throw new ConsoleError('link_expired');
        const { token, expiresAtMs } = codes.create(found.resource, now());
        logger.info({ tenant: name }, 'sign-in code created');
        response.status(201).json(viewLink(name, token, expiresAtMs));
      }),
    )
    .all(methodNotAllowed('POST'));
}
