import type { Request, Response, Router } from 'express';
import type { Act, Audited } from '../audit/act.ts';
import { createJsonReader, valid } from '../http/body.ts';
import { methodNotAllowed } from '../http/error-handler.ts';
import { checkNoQuery } from '../http/query.ts';
import { expiryOf } from '../keys/expiry.ts';
import { waitUntilKeyActive, waitUntilKeyRevoked } from '../keys/wait.ts';
import { viewKeys } from '../keys/list.ts';
import { viewKey } from '../keys/view.ts';
import type { CreatedKey } from '../responses.ts';
import type { DeveloperDeps } from './deps.ts';
import type { IssueKey } from './issue-key.ts';
import { findOwnKey } from './own-key.ts';
import { checkOwnKey } from './schemas.ts';
import type { SignedIn } from './find-session.ts';

/** Serves the keys of the signed-in developer's tenant. */
export function routeOwnKeys(
  router: Router,
  deps: DeveloperDeps,
  signedIn: SignedIn,
  issue: IssueKey,
  audited: Audited,
): void {
  const { store, reads, ledger, settings, logger, now } = deps;
  const readJson = createJsonReader(settings.CONSOLE_BODY_BYTES);
  const polling = { timeoutMs: settings.KEY_ACTIVATION_TIMEOUT_MS, intervalMs: settings.KEY_POLL_INTERVAL_MS };

  async function create(request: Request, response: Response, act: Act): Promise<void> {
    const { name: displayName = '', scopes, models, ...expiry } = valid(checkOwnKey(await readJson(request, response)));
    const tenant = await signedIn(request);
    act.tenant = tenant.metadata.name;
    const created = await issue(tenant, {
      displayName,
      expiresAt: expiryOf(expiry, now()),
      scopes,
      models,
      onDrawn: (keyId) => (act.target = `key/${keyId}`),
    });
    const active = await waitUntilKeyActive(ledger, created.resource, polling);
    const view: CreatedKey = { ...viewKey(created.resource), key: created.key, active };
    response.status(201).json(view);
  }

  router
    .route('/console/v1/keys')
    .get(async (request, response) => {
      valid(checkNoQuery(request.query));
      const { metadata, spec } = await signedIn(request);
      // The keys of a waitlisted or declined tenant are not read. Its developers cannot create keys, and gateways
      // refuse keys that an administrator created.
      const hasNone = spec.state === 'Waitlisted' || spec.state === 'Declined';
      const keys = hasNone
        ? { data: [], ledger_available: true }
        : await viewKeys(ledger, await reads.keysOf(metadata.name));
      response.json({ object: 'list', ...keys });
    })
    .post(audited('key.create', create))
    .all(methodNotAllowed('GET, HEAD, POST'));

  router
    .route('/console/v1/keys/:keyId')
    .delete(
      audited('key.revoke', async (request, response, act) => {
        const { keyId } = request.params;
        const tenant = await signedIn(request);
        act.tenant = tenant.metadata.name;
        const { resource: found } = await findOwnKey(store, tenant, keyId);
        await store.delete('ApiKey', found.metadata.name);
        logger.info({ tenant: tenant.metadata.name, key_id: found.spec.keyId }, 'API key revoked');
        response.json({ ...viewKey(found), revoked: true, applied: await waitUntilKeyRevoked(ledger, keyId, polling) });
      }),
    )
    .all(methodNotAllowed('DELETE'));
}
