import type { ResourceOf } from '@svc-asr/core';
import type { KeyRecord, Ledger } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import type { Notices } from '../notices.ts';
import type { ResourceSource } from '../source/source.ts';
import type { Applied } from './applied.ts';
import type { Reconciler } from './reconciler.ts';

type ApiKey = ResourceOf<'ApiKey'>;

export interface ApiKeyDependencies {
  keys: Pick<Ledger['apiKeys'], 'put' | 'revoke'>;
  source: Pick<ResourceSource, 'get'>;
  applied: Applied;
  notices: Notices;
  logger: Logger;
}

/** ApiKey -> entry in the index of keys. The resource is named by the key id in lower case, so the id itself is noted. */
export function createApiKeyReconciler(dependencies: ApiKeyDependencies): Reconciler<'ApiKey'> {
  const { keys, applied } = dependencies;
  const revoke = async (name: string, except?: string) => {
    const keyId = applied.note('ApiKey', name);
    if (keyId !== undefined && keyId !== except) await keys.revoke(keyId);
  };
  return {
    present: [
      // Two ids that differ in case alone have one name: the resource was then replaced by another key's.
      { name: 'revoke the key before it', run: ({ metadata, spec }) => revoke(metadata.name, spec.keyId) },
      { name: 'note it', run: ({ metadata, spec }) => applied.add('ApiKey', metadata.name, spec.keyId) },
      { name: 'put it into the index', run: (key) => keys.put(key.spec.keyId, buildRecord(key)) },
      { name: 'check its tenant', run: (key) => checkTenant(key, dependencies) },
    ],
    absent: [
      { name: 'revoke it', run: (name) => revoke(name) },
      { name: 'forget it', run: (name) => applied.forget('ApiKey', name) },
    ],
  };
}

/** What gateways look up of an ApiKey. */
export function buildRecord({ spec }: ApiKey): Omit<KeyRecord, 'revoked'> {
  const { tenant, hash, pepperId, expiresAt } = spec;
  return { tenant, hash, pepperId, expiresAtMs: typeof expiresAt === 'string' ? expiryMs(expiresAt) : null };
}

/** A time that no clock can show (a leap second) must not make a key that never expires. */
function expiryMs(expiresAt: string): number {
  const ms = Date.parse(expiresAt);
  if (Number.isNaN(ms)) throw new Error(`spec.expiresAt "${expiresAt}" is not a time that can be computed with`);
  return ms;
}

/** A key may come before its tenant: until then gateways refuse it. */
function checkTenant({ metadata, spec }: ApiKey, { source, notices, logger }: ApiKeyDependencies): void {
  const notice = `tenant of ${metadata.name}`;
  if (source.get('Tenant', spec.tenant) !== undefined) {
    notices.clear(notice);
    return;
  }
  notices.raise(notice, spec.tenant, () =>
    logger.warn(
      { key_id: spec.keyId, tenant: spec.tenant },
      `API key ${spec.keyId} belongs to the tenant ${spec.tenant}, which does not exist: it is refused until it does`,
    ),
  );
}
