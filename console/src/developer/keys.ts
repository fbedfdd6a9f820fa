import { createAttemptLimiter } from '@svc-asr/runtime';
import type { Request, Response, Router } from 'express';
import type { Act, Audited } from '../audit/act.ts';
import { createJsonReader, valid } from '../http/body.ts';
import { methodNotAllowed } from '../http/error-handler.ts';
import { checkNoQuery } from '../http/query.ts';
import { ConsoleError } from '../errors.ts';
import { createKey } from '../keys/create.ts';
import { expiryOf } from '../keys/expiry.ts';
import { waitUntilKeyActive, waitUntilKeyRevoked } from '../keys/wait.ts';
import { viewKeys } from '../keys/list.ts';
import { keysOf } from '../resources/keys-of.ts';
import { viewKey } from '../keys/view.ts';
import { createKeyedMutex } from '../resources/keyed-mutex.ts';
import type { CreatedKey } from '../responses.ts';
import type { DeveloperDeps } from './deps.ts';
import { checkOwnKey } from './schemas.ts';
import { tooMany } from './find-session.ts';
import type { SignedIn } from './find-session.ts';

const HOUR_MS = 3_600_000;

/** Serves the keys of the signed-in developer's tenant. */
export function routeOwnKeys(router: Router, deps: DeveloperDeps, signedIn: SignedIn, audited: Audited): void {
  const { store, reads, ledger, peppers, settings, logger, now } = deps;
  const readJson = createJsonReader(settings.CONSOLE_BODY_BYTES);
  const polling = { timeoutMs: settings.KEY_ACTIVATION_TIMEOUT_MS, intervalMs: settings.KEY_POLL_INTERVAL_MS };

  // Counting and creating happen under one lock, so that concurrent requests cannot exceed MAX_KEYS.
  const inTurn = createKeyedMutex();
  // The ledger keeps revoked keys. Without this limit, creating and revoking in a loop would fill it.
  const creations = createAttemptLimiter(settings.KEYS_PER_HOUR, HOUR_MS);

  async function create(request: Request, response: Response, act: Act): Promise<void> {
    const { name: displayName = '', scopes, models, ...expiry } = valid(checkOwnKey(await readJson(request, response)));
    const tenant = await signedIn(request);
    if (tenant.spec.state !== 'Active') {
      throw new ConsoleError('not_approved', {
        message: `The tenant is ${tenant.spec.state}: only an active tenant can create keys.`,
      });
    }
    const { name } = tenant.metadata;
    const waitMs = creations.waitMs(name, now());
    if (waitMs > 0) throw tooMany(waitMs);
    creations.fail(name, now());
    const created = await inTurn(name, async () => {
      if ((await keysOf(store, name)).length >= settings.MAX_KEYS) throw new ConsoleError('too_many_keys');
      const expiresAt = expiryOf(expiry, now());
      return createKey(store, peppers, { tenant: name, displayName, expiresAt, scopes, models });
    });
    act.tenant = name;
    act.target = `key/${created.resource.spec.keyId}`;
    logger.info({ tenant: name, key_id: created.resource.spec.keyId }, 'API key created');
    const active = await waitUntilKeyActive(ledger, created.resource, polling);
    const view: CreatedKey = { ...viewKey(created.resource), key: created.key, active };
    response.status(201).json(view);
  }

  router
    .route('/console/v1/keys')
    .get(async (request, response) => {
      valid(checkNoQuery(request.query));
      const { metadata, spec } = await signedIn(request);
      // A tenant that was never approved has no keys, so the list is not read.
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
        // Keys of other tenants are reported as not found, so that their ids cannot be probed.
        const keys = await keysOf(store, tenant.metadata.name);
        const found = keys.map(({ resource }) => resource).find(({ spec }) => spec.keyId === keyId);
        if (found === undefined) throw new ConsoleError('key_not_found', { message: 'You have no key with this id.' });
        await store.delete('ApiKey', found.metadata.name);
        logger.info({ tenant: tenant.metadata.name, key_id: found.spec.keyId }, 'API key revoked');
        response.json({ ...viewKey(found), revoked: true, applied: await waitUntilKeyRevoked(ledger, keyId, polling) });
      }),
    )
    .all(methodNotAllowed('DELETE'));
}
