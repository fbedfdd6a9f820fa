import { showAudioMs } from '@svc-asr/core';
import type { TenantStatus } from '@svc-asr/core';
import type { Account, BudgetRecord } from '@svc-asr/ledger';
import { formatTime } from './conditions.ts';
import type { Finding } from './conditions.ts';

/**
 * Builds the status fields of a Tenant from its account. A balance that did not change keeps the checkpoint time of
 * `before`.
 */
export function buildTenantFields(
  account: Pick<
    Account,
    'availableMs' | 'reservedMs' | 'consumedMs' | 'liveSessions' | 'limitedCorrections' | 'budget'
  >,
  before: TenantStatus,
  nowMs: number,
): Pick<TenantStatus, 'credits' | 'liveSessions'> {
  const { availableMs, reservedMs, consumedMs, liveSessions, limitedCorrections, budget } = account;
  const known = before.credits;
  const same = known?.availableMs === availableMs && known.reservedMs === reservedMs && known.consumedMs === consumedMs;
  return {
    credits: {
      availableMs,
      reservedMs,
      consumedMs,
      ...(limitedCorrections.length > 0 && { limitedCorrections }),
      ...(budget !== undefined && { budget: buildBudget(budget) }),
      checkpointAt: same ? known.checkpointAt : formatTime(nowMs),
      available: showAudioMs(availableMs),
      reserved: showAudioMs(reservedMs),
      consumed: showAudioMs(consumedMs),
    },
    liveSessions,
  };
}

function buildBudget(budget: BudgetRecord): NonNullable<NonNullable<TenantStatus['credits']>['budget']> {
  const { month, monthlyMs, remainingMs, usedMs, grantedMs, renewsAtMs } = budget;
  return {
    month,
    remainingMs,
    usedMs,
    grantedMs,
    ...(monthlyMs > 0 && { renewsAt: formatTime(renewsAtMs) }),
    remaining: showAudioMs(remainingMs),
  };
}

/**
 * Returns the condition UnknownModels. It is true if a limit names a model that does not exist. Such a limit has no
 * effect.
 */
export function findUnknownModels(limits: readonly { model: string }[], hasModel: (name: string) => boolean): Finding {
  const type = 'UnknownModels';
  const unknown = limits.map(({ model }) => model).filter((model) => !hasModel(model));
  if (unknown.length === 0)
    return { type, status: 'False', reason: 'ModelsFound', message: 'Each model of spec.limits.models exists' };
  const message = `spec.limits.models has models that do not exist: ${unknown.join(', ')}`;
  return { type, status: 'True', reason: 'ModelMissing', message };
}

/** Returns the condition LedgerMissing. */
export function findLedger(missing: string | undefined): Finding {
  const type = 'LedgerMissing';
  if (missing === undefined)
    return { type, status: 'False', reason: 'LedgerFound', message: 'Redis contains the ledger' };
  return { type, status: 'True', reason: 'LedgerMissing', message: missing };
}
