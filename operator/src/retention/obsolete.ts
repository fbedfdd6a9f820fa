import type { ResourceOf } from '@svc-asr/core';
import type { KeyRecord } from '@svc-asr/ledger';

/**
 * Returns whether an ApiKey has been unusable for the retention time. The time counts from its expiry. For a revoked
 * key, it counts from the creation of the ApiKey, which was created again after the revocation.
 */
export function isObsolete(
  { metadata, spec }: ResourceOf<'ApiKey'>,
  record: Pick<KeyRecord, 'revoked'> | undefined,
  nowMs: number,
  retentionMs: number,
): boolean {
  const times = [spec.expiresAt, record?.revoked === true ? metadata.creationTimestamp : undefined];
  return times.some((time) => typeof time === 'string' && nowMs - Date.parse(time) >= retentionMs);
}
