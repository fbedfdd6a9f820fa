import { showAudioMs } from '@svc-asr/core';
import type { TenantStatus } from '@svc-asr/core';
import type { Account } from '@svc-asr/ledger';
import { formatTime } from './conditions.ts';
import type { Finding } from './conditions.ts';

/** What an account tells of its Tenant; `before` keeps the time of a balance that did not change. */
export function buildTenantFields(
  account: Pick<Account, 'availableMs' | 'reservedMs' | 'consumedMs' | 'liveSessions'>,
  before: TenantStatus,
  nowMs: number,
): Pick<TenantStatus, 'credits' | 'liveSessions'> {
  const { availableMs, reservedMs, consumedMs, liveSessions } = account;
  const known = before.credits;
  const same = known?.availableMs === availableMs && known.reservedMs === reservedMs && known.consumedMs === consumedMs;
  return {
    credits: {
      availableMs,
      reservedMs,
      consumedMs,
      checkpointAt: same ? known.checkpointAt : formatTime(nowMs),
      available: showAudioMs(availableMs),
      reserved: showAudioMs(reservedMs),
      consumed: showAudioMs(consumedMs),
    },
    liveSessions,
  };
}

/** Whether Redis holds the ledger that the account is in. */
export function findLedger(missing: string | undefined): Finding {
  const type = 'LedgerMissing';
  if (missing === undefined) return { type, status: 'False', reason: 'LedgerFound', message: 'Redis holds the ledger' };
  return { type, status: 'True', reason: 'LedgerMissing', message: missing };
}
