import type { ApiKey, Tenant } from '@svc-asr/core';
import { createAttemptLimiter } from '@svc-asr/runtime';
import type { Request, Response, Router } from 'express';
import { createJsonReader, valid } from '../http/body.ts';
import { methodNotAllowed } from '../http/refusals.ts';
import { checkNoQuery } from '../http/query.ts';
import { ConsoleError } from '../errors.ts';
import { createKey } from '../keys/create.ts';
import { expiryOf } from '../keys/expiry.ts';
import { keyInForce, keyRevoked } from '../keys/in-force.ts';
import { listKeys } from '../keys/list.ts';
import { viewKey } from '../keys/view.ts';
import { createKeyedMutex } from '../resources/keyed-mutex.ts';
import type { CreatedKey } from '../responses.ts';
import type { DeveloperDeps } from './deps.ts';
import { checkOwnKey } from './schemas.ts';
import { tooMany } from './sign-in.ts';
import type { SignedIn } from './sign-in.ts';

const HOUR_MS = 3_600_000;

/** The keys of the own tenant: named, shown once, with an expiry if wanted; replaced and revoked here too. */
export function routeOwnKeys(router: Router, deps: DeveloperDeps, signedIn: SignedIn): void {
  const { store, ledger, peppers, settings, logger, now } = deps;
  const readJson = createJsonReader(settings.CONSOLE_BODY_BYTES);
  const patience = { timeoutMs: settings.KEY_ACTIVATION_TIMEOUT_MS, intervalMs: settings.KEY_POLL_INTERVAL_MS };

  // Counted and made in one turn, so that requests that come together do not make more than may be.
  const inTurn = createKeyedMutex();
  // The ledger remembers revoked keys: to make and revoke without end would fill it.
  const creations = createAttemptLimiter(settings.KEYS_PER_HOUR, HOUR_MS);

  async function keysOf({ metadata }: Tenant): Promise<ApiKey[]> {
    const keys = await store.list('ApiKey');
    return keys.map(({ resource }) => resource).filter(({ spec }) => spec.tenant === metadata.name);
  }

  async function create(request: Request, response: Response): Promise<void> {
    const { name: displayName = '', ...expiry } = valid(checkOwnKey(await readJson(request, response)));
    const tenant = await signedIn(request);
    if (tenant.spec.state !== 'Active') {
      throw new ConsoleError('not_approved', {
        message: `The tenant is ${tenant.spec.state}: it cannot have new keys.`,
      });
    }
    const { name } = tenant.metadata;
    const waitMs = creations.waitMs(name, now());
    if (waitMs > 0) throw tooMany(waitMs);
    creations.fail(name, now());
    const made = await inTurn(name, async () => {
      if ((await keysOf(tenant)).length >= settings.MAX_KEYS) throw new ConsoleError('too_many_keys');
      return createKey(store, peppers, { tenant: name, displayName, expiresAt: expiryOf(expiry, now()) });
    });
    logger.info({ tenant: name, key_id: made.resource.spec.keyId }, 'an API key was created');
    const active = await keyInForce(ledger, made.resource, patience);
    const view: CreatedKey = { ...viewKey(made.resource), key: made.key, active };
    response.status(201).json(view);
  }

  router
    .route('/console/v1/keys')
    .get(async (request, response) => {
      valid(checkNoQuery(request.query));
      const { metadata, spec } = await signedIn(request);
      // Who was never approved has none, and may not make the console read all there are.
      const hasNone = spec.state === 'Waitlisted' || spec.state === 'Declined';
      const keys = hasNone ? { data: [], ledger_available: true } : await listKeys({ store, ledger }, metadata.name);
      response.json({ object: 'list', ...keys });
    })
    .post(create)
    .all(methodNotAllowed('GET, HEAD, POST'));

  router
    .route('/console/v1/keys/:keyId')
    .delete(async (request, response) => {
      const { keyId } = request.params;
      const tenant = await signedIn(request);
      // The keys of others do not exist, as far as anybody can tell.
      const found = (await keysOf(tenant)).find(({ spec }) => spec.keyId === keyId);
      if (found === undefined)
        throw new ConsoleError('key_not_found', { message: 'There is no such key among yours.' });
      await store.delete('ApiKey', found.metadata.name);
      logger.info({ tenant: tenant.metadata.name, key_id: found.spec.keyId }, 'an API key was revoked');
      response.json({ ...viewKey(found), revoked: true, in_force: await keyRevoked(ledger, keyId, patience) });
    })
    .all(methodNotAllowed('DELETE'));
}
