import type { ApiKey, ApiKeyStatus } from '@svc-asr/core';
import type { KeyRecord } from '@svc-asr/ledger';
import { formatTime } from './conditions.ts';
import type { Finding } from './conditions.ts';

/** Builds the status fields of an ApiKey. */
export function buildApiKeyFields(
  { spec }: Pick<ApiKey, 'spec'>,
  lastUsedMs: number | undefined,
): Pick<ApiKeyStatus, 'expires' | 'lastUsedAt'> {
  const expires = spec.expiresAt ?? 'never';
  return lastUsedMs === undefined ? { expires } : { expires, lastUsedAt: formatTime(lastUsedMs) };
}

/**
 * Returns why gateways refuse a key although its ApiKey was applied: it was revoked, or its tenant does not exist. Does
 * not check the expiry, which the status shows in a field.
 */
export function findRefusal(
  { spec }: Pick<ApiKey, 'spec'>,
  record: Pick<KeyRecord, 'revoked'> | undefined,
  hasTenant: boolean,
): Finding | undefined {
  const not = (reason: string, message: string): Finding => ({ type: 'Ready', status: 'False', reason, message });
  if (record?.revoked === true) {
    return not('Revoked', 'the key was revoked and cannot be restored: delete it and create a new one');
  }
  if (!hasTenant) {
    return not('TenantMissing', `the tenant ${spec.tenant} does not exist: the key is refused until it does`);
  }
  return undefined;
}
