import type { ResourceOf } from '@svc-asr/core';
import type { KeyRecord } from '@svc-asr/ledger';

/**
 * Returns whether an ApiKey has been unusable for the retention time. The time counts from the expiry of the key. A key
 * is revoked when its ApiKey is deleted, and stays revoked if the ApiKey is created again. The time then counts from
 * this creation.
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
