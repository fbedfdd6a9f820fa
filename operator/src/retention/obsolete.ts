import type { ResourceOf } from '@svc-asr/core';
import type { KeyRecord } from '@svc-asr/ledger';

/**
 * Returns whether an ApiKey has been unusable for the retention time. A key becomes unusable when it expires or is
 * revoked. It is revoked when its ApiKey is deleted, and stays revoked if the ApiKey is created again. For a revoked
 * key, the time counts from the creation of its present ApiKey.
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
