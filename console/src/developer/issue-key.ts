import type { ApiKey, Tenant } from '@svc-asr/core';
import { createAttemptLimiter } from '@svc-asr/runtime';
import { ConsoleError } from '../errors.ts';
import { createKey } from '../keys/create.ts';
import type { KeyRequest } from '../keys/create.ts';
import { createKeyedMutex } from '../resources/keyed-mutex.ts';
import { keysOf } from '../resources/keys-of.ts';
import type { DeveloperDeps } from './deps.ts';
import { tooMany } from './find-session.ts';

const HOUR_MS = 3_600_000;

/** Creates a key for a tenant. Throws if the tenant is not active, or has reached MAX_KEYS or KEYS_PER_HOUR. */
export type IssueKey = (
  tenant: Tenant,
  request: Omit<KeyRequest, 'tenant'>,
) => Promise<{ key: string; resource: ApiKey }>;

/** Creates the function that issues keys. All routes share it, so that they also share its limits. */
export function createKeyIssuer({ store, peppers, settings, logger, now }: DeveloperDeps): IssueKey {
  // Counting and creating happen under one lock, so that concurrent requests to this process cannot exceed MAX_KEYS.
  const inTurn = createKeyedMutex();
  // The ledger keeps revoked keys. Without this limit, creating and revoking keys in a loop would fill Redis.
  const creations = createAttemptLimiter(settings.KEYS_PER_HOUR, HOUR_MS);
  return async ({ metadata: { name }, spec }, request) => {
    if (spec.state !== 'Active') {
      throw new ConsoleError('not_approved', {
        message: `The tenant is ${spec.state}: only an active tenant can create keys.`,
      });
    }
    const waitMs = creations.waitMs(name, now());
    if (waitMs > 0) throw tooMany(waitMs);
    creations.fail(name, now());
    const created = await inTurn(name, async () => {
      if ((await keysOf(store, name)).length >= settings.MAX_KEYS) throw new ConsoleError('too_many_keys');
      return createKey(store, peppers, { ...request, tenant: name });
    });
    logger.info({ tenant: name, key_id: created.resource.spec.keyId }, 'API key created');
    return created;
  };
}
