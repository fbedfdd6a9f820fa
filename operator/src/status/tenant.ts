import { showAudioMs } from '@svc-asr/core';
import type { TenantStatus } from '@svc-asr/core';
import type { Account } from '@svc-asr/ledger';
import { formatTime } from './conditions.ts';
import type { Finding } from './conditions.ts';

/**
 * Builds the status fields of a Tenant from its account. A balance that did not change keeps the checkpoint time of
 * `before`.
 */
export function buildTenantFields(
  account: Pick<Account, 'availableMs' | 'reservedMs' | 'consumedMs' | 'liveSessions' | 'limitedCorrections'>,
  before: TenantStatus,
  nowMs: number,
): Pick<TenantStatus, 'credits' | 'liveSessions'> {
  const { availableMs, reservedMs, consumedMs, liveSessions, limitedCorrections } = account;
  const known = before.credits;
  const same = known?.availableMs === availableMs && known.reservedMs === reservedMs && known.consumedMs === consumedMs;
  return {
    credits: {
      availableMs,
      reservedMs,
      consumedMs,
      ...(limitedCorrections.length > 0 && { limitedCorrections }),
      checkpointAt: same ? known.checkpointAt : formatTime(nowMs),
      available: showAudioMs(availableMs),
      reserved: showAudioMs(reservedMs),
      consumed: showAudioMs(consumedMs),
    },
    liveSessions,
  };
}

/** Returns the condition LedgerMissing. */
export function findLedger(missing: string | undefined): Finding {
  const type = 'LedgerMissing';
  if (missing === undefined)
    return { type, status: 'False', reason: 'LedgerFound', message: 'Redis contains the ledger' };
  return { type, status: 'True', reason: 'LedgerMissing', message: missing };
}
