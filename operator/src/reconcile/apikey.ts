import type { ResourceOf } from '@svc-asr/core';
import type { KeyRecord, Ledger } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import type { Notices } from '../notices.ts';
import type { ResourceSource } from '../source/source.ts';
import type { Applied } from './applied.ts';
import type { Reconciler } from './reconciler.ts';
import type { WaitingKeys } from './waiting-keys.ts';

type ApiKey = ResourceOf<'ApiKey'>;

export interface ApiKeyDependencies {
  keys: Pick<Ledger['apiKeys'], 'put' | 'revoke'>;
  source: Pick<ResourceSource, 'get'>;
  applied: Applied;
  waitingKeys: Pick<WaitingKeys, 'add'>;
  notices: Notices;
  logger: Logger;
}

/**
 * Creates the reconciler that writes ApiKeys to the index of keys. The resource name is the key id in lower case. The
 * record of applied resources therefore stores the exact id as a note.
 */
export function createApiKeyReconciler(dependencies: ApiKeyDependencies): Reconciler<'ApiKey'> {
  const { keys, applied } = dependencies;
  const revoke = async (name: string, except?: string) => {
    const keyId = applied.note('ApiKey', name);
    if (keyId !== undefined && keyId !== except) await keys.revoke(keyId);
  };
  return {
    present: [
      // Key ids that differ only in letter case have the same resource name. If the id has changed, the resource was
      // replaced by one for another key.
      { name: 'revoke the previous key', run: ({ metadata, spec }) => revoke(metadata.name, spec.keyId) },
      { name: 'record the key', run: ({ metadata, spec }) => applied.add('ApiKey', metadata.name, spec.keyId) },
      { name: 'add the key to the index', run: (key) => keys.put(key.spec.keyId, buildRecord(key)) },
      { name: 'check the tenant', run: (key) => checkTenant(key, dependencies) },
    ],
    absent: [
      { name: 'revoke the key', run: (name) => revoke(name) },
      { name: 'remove the record', run: (name) => applied.forget('ApiKey', name) },
    ],
  };
}

/** Builds the record of an ApiKey. Gateways look it up to authenticate requests with the key. */
export function buildRecord({ spec }: ApiKey): Omit<KeyRecord, 'revoked'> {
  const { tenant, hash, pepperId, expiresAt, scopes, models } = spec;
  return {
    tenant,
    hash,
    pepperId,
    expiresAtMs: typeof expiresAt === 'string' ? expiryMs(expiresAt) : null,
    ...(scopes !== undefined && { scopes }),
    ...(models !== undefined && { models }),
  };
}

/**
 * Parses an expiry. Throws for a time that cannot be represented, such as a leap second. The key would otherwise never
 * expire.
 */
function expiryMs(expiresAt: string): number {
  const ms = Date.parse(expiresAt);
  if (Number.isNaN(ms)) throw new Error(`spec.expiresAt "${expiresAt}" is not a valid time`);
  return ms;
}

/** Logs a key whose tenant does not exist. A key may be created before its tenant; until then gateways refuse it. */
function checkTenant({ metadata, spec }: ApiKey, dependencies: ApiKeyDependencies): void {
  const { source, waitingKeys, notices, logger } = dependencies;
  const notice = `tenant of ${metadata.name}`;
  if (source.get('Tenant', spec.tenant) !== undefined) {
    notices.clear(notice);
    return;
  }
  waitingKeys.add(spec.tenant, metadata.name);
  notices.raise(notice, spec.tenant, () =>
    logger.warn(
      { key_id: spec.keyId, tenant: spec.tenant },
      `API key ${spec.keyId} is refused until its tenant ${spec.tenant} exists`,
    ),
  );
}
