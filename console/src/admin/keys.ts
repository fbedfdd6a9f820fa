import type { ApiKey } from '@svc-asr/core';
import type { Router } from 'express';
import { nameView } from '../audit/act.ts';
import type { Audited } from '../audit/act.ts';
import type { Deps } from '../deps.ts';
import { ConsoleError } from '../errors.ts';
import { createKey } from '../keys/create.ts';
import { expiryOf } from '../keys/expiry.ts';
import { waitUntilKeyActive, waitUntilKeyRevoked } from '../keys/wait.ts';
import { viewKeys } from '../keys/list.ts';
import { keysOf } from '../resources/keys-of.ts';
import { viewKey } from '../keys/view.ts';
import type { ResourceStore } from '../resources/store.ts';
import { createJsonReader, valid } from '../http/body.ts';
import { methodNotAllowed } from '../http/error-handler.ts';
import { checkKeyQuery, checkKeyRequest } from './schemas.ts';

/**
 * Serves API keys. A response waits until gateways know a new key or reject a revoked one. On timeout, `active` or
 * `applied` is false.
 */
export function routeKeys(router: Router, deps: Deps, audited: Audited): void {
  const { store, ledger, peppers, settings, logger, now } = deps;
  const readJson = createJsonReader(settings.ADMIN_BODY_BYTES);
  const polling = { timeoutMs: settings.KEY_ACTIVATION_TIMEOUT_MS, intervalMs: settings.KEY_POLL_INTERVAL_MS };

  router
    .route('/admin/v1/keys')
    .get(
      audited('tenant.view', async (request, response, act) => {
        const { tenant } = valid(checkKeyQuery(request.query));
        nameView(act, 'keys', tenant);
        if (tenant !== undefined && (await store.get('Tenant', tenant)) === undefined) {
          throw new ConsoleError('tenant_not_found');
        }
        const keys = await viewKeys(
          ledger,
          await (tenant === undefined ? store.list('ApiKey') : keysOf(store, tenant)),
        );
        response.json({ object: 'list', ...keys, unreadable: await store.unreadable() });
      }),
    )
    .post(
      audited('key.create', async (request, response, act) => {
        const {
          tenant,
          name = '',
          scopes,
          models,
          ...expiry
        } = valid(checkKeyRequest(await readJson(request, response)));
        const expiresAt = expiryOf(expiry, now());
        const owner = await store.get('Tenant', tenant);
        if (owner === undefined) throw new ConsoleError('tenant_not_found');
        act.tenant = tenant;
        const onDrawn = (keyId: string) => (act.target = `key/${keyId}`);
        const wanted = { tenant, displayName: name, expiresAt, scopes, models, onDrawn };
        const { key, resource } = await createKey(store, peppers, wanted);
        logger.info({ tenant, key_id: resource.spec.keyId }, 'API key created');
        const active = await waitUntilKeyActive(ledger, resource, polling);
        response.status(201).json({ ...viewKey(resource), key, tenant_state: owner.resource.spec.state, active });
      }),
    )
    .all(methodNotAllowed('GET, HEAD, POST'));

  router
    .route('/admin/v1/keys/:keyId')
    .delete(
      audited('key.revoke', async (request, response, act) => {
        const { keyId } = request.params;
        const found = await findToRevoke(store, keyId);
        act.tenant = found?.spec.tenant ?? null;
        await store.delete('ApiKey', keyId.toLowerCase());
        logger.info({ ...(found && { tenant: found.spec.tenant }), key_id: keyId }, 'API key revoked');
        const isRevoked = await waitUntilKeyRevoked(ledger, keyId, polling);
        const view = found === undefined ? { object: 'api_key', key_id: keyId } : viewKey(found);
        response.json({ ...view, revoked: true, applied: isRevoked });
      }),
    )
    .all(methodNotAllowed('DELETE'));
}

/** Returns the key to revoke. Undefined if its file is damaged, which must not prevent the revocation. */
async function findToRevoke(store: ResourceStore, keyId: string): Promise<ApiKey | undefined> {
  try {
    const found = await store.get('ApiKey', keyId.toLowerCase());
    // Key ids are case-sensitive, but the names of their resources are lower case.
    if (found?.resource.spec.keyId !== keyId) throw new ConsoleError('key_not_found');
    return found.resource;
  } catch (error) {
    if (error instanceof ConsoleError && error.code === 'unreadable_resource') return undefined;
    throw error;
  }
}
