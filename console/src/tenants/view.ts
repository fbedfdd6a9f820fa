import type { Tenant } from '@svc-asr/core';
import { declineReasonOf } from './decline-reason.ts';
import type { Account, DailyUsage } from '@svc-asr/ledger';
import { creditRequestOf } from './credit-request.ts';
import type { AccountView, TenantView, UsageView } from '../responses.ts';
import type { Stored } from '../resources/store.ts';

/**
 * Returns a tenant as the admin API shows it. `spec` has the form of the resource; the other fields are in snake case.
 */
export function viewTenant({ resource, readOnlyIn }: Stored<'Tenant'>): TenantView & Pick<Tenant, 'spec' | 'status'> {
  return {
    object: 'tenant',
    name: resource.metadata.name,
    created_at: resource.metadata.creationTimestamp ?? null,
    read_only: readOnlyIn !== undefined,
    decline_reason: declineReasonOf(resource),
    credit_request: creditRequestOf(resource),
    spec: resource.spec,
    // Only the operator in a cluster writes a status.
    ...(resource.status !== undefined && { status: resource.status }),
  };
}

/** Returns an account as the admin API shows it. Null if the operator has not created the account yet. */
export function viewAccount(account: Account | undefined): AccountView | null {
  if (account === undefined) return null;
  const { grantedMs, availableMs, reservedMs, consumedMs, budget } = account;
  return {
    state: account.state,
    credits: {
      unit: 'audio_millisecond',
      granted_ms: grantedMs,
      available_ms: availableMs,
      reserved_ms: reservedMs,
      consumed_ms: consumedMs,
      ...(budget !== undefined &&
        budget.monthlyMs > 0 && {
          budget: {
            monthly_ms: budget.monthlyMs,
            remaining_ms: budget.remainingMs,
            renews_at: new Date(budget.renewsAtMs).toISOString(),
          },
        }),
    },
    live_sessions: account.liveSessions,
  };
}

/** Returns usage by day and model. */
export function viewUsage(tenant: string, days: number, usage: readonly DailyUsage[]): UsageView {
  const data = usage.map(({ day, model, sessions, audioMs, billableMs }) => {
    return { day, model, sessions, audio_ms: audioMs, billable_ms: billableMs };
  });
  return { object: 'daily_usage', tenant, days, data };
}
