import { randomUUID } from 'node:crypto';
import type { Router } from 'express';
import { linkIdOf } from '../applications/link.ts';
import type { Audited } from '../audit/act.ts';
import type { Deps } from '../deps.ts';
import { ConsoleError } from '../errors.ts';
import { readIfAvailable } from '../ledger-view.ts';
import { deleteTenant } from '../tenants/delete.ts';
import { appendGrants } from '../tenants/grants.ts';
import { waitUntilGrantApplied, waitUntilTenantClosed, waitUntilTenantApplied } from '../tenants/wait.ts';
import { buildTenant, patchTenant, replaceTenant } from '../tenants/tenant.ts';
import { isWanted } from '../tenants/search.ts';
import { viewAccount, viewTenant } from '../tenants/view.ts';
import { createJsonReader, createMergePatchReader, valid } from '../http/body.ts';
import { methodNotAllowed } from '../http/error-handler.ts';
import { checkNoQuery } from '../http/query.ts';
import { checkGrantRequest, checkTenantsQuery } from './schemas.ts';

/** Serves the routes of the admin API that list, show, change and delete tenants. */
export function routeTenants(router: Router, deps: Deps, audited: Audited): void {
  const { store, ledger, settings, logger } = deps;
  const polling = { timeoutMs: settings.KEY_ACTIVATION_TIMEOUT_MS, intervalMs: settings.KEY_POLL_INTERVAL_MS };
  const readJson = createJsonReader(settings.ADMIN_BODY_BYTES);
  const readPatch = createMergePatchReader(settings.ADMIN_BODY_BYTES);

  async function show(name: string) {
    const tenant = await store.get('Tenant', name);
    if (tenant === undefined) throw new ConsoleError('tenant_not_found');
    const { available, value } = await readIfAvailable(() => ledger.accounts.read(name));
    const hasLink = linkIdOf(tenant.resource) !== '';
    return { ...viewTenant(tenant), has_link: hasLink, account: viewAccount(value), ledger_available: available };
  }

  router
    .route('/admin/v1/tenants')
    .get(async (request, response) => {
      const query = valid(checkTenantsQuery(request.query));
      const found = (await store.list('Tenant')).filter(({ resource }) => isWanted(resource, query));
      const data = found.map(viewTenant);
      response.json({ object: 'list', data, unreadable: await store.unreadable() });
    })
    .all(methodNotAllowed('GET, HEAD'));

  router
    .route('/admin/v1/tenants/:name')
    .get(
      audited('tenant.view', async (request, response, act) => {
        act.detail = { view: 'tenant' };
        valid(checkNoQuery(request.query));
        response.json(await show(request.params.name));
      }),
    )
    .put(
      audited('tenant.put', async (request, response, act) => {
        const { name } = request.params;
        const onlyNew = request.headers['if-none-match'] === '*';
        const wanted = buildTenant(name, await readJson(request, response));
        const { resource, previous } = await store.update('Tenant', name, (current) => {
          if (onlyNew && current !== undefined) throw new ConsoleError('tenant_exists');
          return replaceTenant(current, wanted);
        });
        const created = previous === undefined;
        act.detail = { created, state: resource.spec.state };
        logger.info({ tenant: name, reason: created ? 'created' : 'replaced' }, 'tenant written');
        const applied = await waitUntilTenantApplied(ledger, resource, polling);
        response.status(created ? 201 : 200).json({ ...(await show(name)), applied });
      }),
    )
    .patch(
      audited('tenant.update', async (request, response, act) => {
        const { name } = request.params;
        const patch = await readPatch(request, response);
        const { resource } = await store.update('Tenant', name, (current) => {
          if (current === undefined) throw new ConsoleError('tenant_not_found');
          return patchTenant(current, patch);
        });
        act.detail = { fields: Object.keys(patch as object), state: resource.spec.state };
        logger.info({ tenant: name, reason: 'changed' }, 'tenant written');
        const applied = await waitUntilTenantApplied(ledger, resource, polling);
        response.json({ ...(await show(name)), applied });
      }),
    )
    .delete(
      audited('tenant.delete', async (request, response, act) => {
        const { name } = request.params;
        const keysRevoked = await deleteTenant(store, name, () => (act.entry = 'always'));
        act.detail = { keys_revoked: keysRevoked };
        logger.info({ tenant: name, amount: keysRevoked }, 'tenant and its keys deleted');
        const applied = await waitUntilTenantClosed(ledger, name, polling);
        response.json({ object: 'tenant', name, deleted: true, keys_revoked: keysRevoked, applied });
      }),
    )
    .all(methodNotAllowed('GET, HEAD, PUT, PATCH, DELETE'));
}

/** Serves the route of the admin API that grants credit to a tenant. */
export function routeGrants(router: Router, { store, ledger, settings, logger, now }: Deps, audited: Audited): void {
  const polling = { timeoutMs: settings.KEY_ACTIVATION_TIMEOUT_MS, intervalMs: settings.KEY_POLL_INTERVAL_MS };
  const readJson = createJsonReader(settings.ADMIN_BODY_BYTES);
  router
    .route('/admin/v1/tenants/:name/grants')
    .post(
      audited('tenant.grant', async (request, response, act) => {
        const { name } = request.params;
        const {
          id = randomUUID(),
          audio_seconds: audioSeconds,
          note,
        } = valid(checkGrantRequest(await readJson(request, response)));
        if (audioSeconds === 0) {
          throw new ConsoleError('invalid_parameters', { message: 'audio_seconds: must not be 0.' });
        }
        const requestedAtMs = now();
        const { previous } = await store.update('Tenant', name, (current) => {
          if (current === undefined) throw new ConsoleError('tenant_not_found');
          const grants = appendGrants(current.spec.grants, [{ id, audioSeconds, ...(note !== undefined && { note }) }]);
          return { ...current, spec: { ...current.spec, grants } };
        });
        act.detail = { grant: id, audio_seconds: audioSeconds };
        const grant = { object: 'grant', tenant: name, id, audio_seconds: audioSeconds };
        if (previous?.spec.grants.some((known) => known.id === id) === true) {
          response.json(grant);
          return;
        }
        logger.info({ tenant: name, amount: audioSeconds }, 'credit granted');
        response
          .status(201)
          .json({ ...grant, applied: await waitUntilGrantApplied(ledger, name, id, requestedAtMs, polling) });
      }),
    )
    .all(methodNotAllowed('POST'));
}
