import type { ResourceOf } from '@svc-asr/core';
import type { KeyRecord } from '@svc-asr/ledger';

/**
 * Returns whether an ApiKey has been useless for the retention time. It expired, or it was created again after its key
 * had been revoked.
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
