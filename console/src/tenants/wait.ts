import { isDeepStrictEqual } from 'node:util';
import type { Tenant, TenantLimits } from '@svc-asr/core';
import type { Account } from '@svc-asr/ledger';
import type { LedgerView } from '../ledger-view.ts';
import { pollUntil } from '../poll.ts';
import type { PollOptions } from '../poll.ts';

/**
 * Returns true if the account has the values of the resource. Grants are not compared, because an account does not list
 * the grants that were applied to it. `waitUntilGrantApplied` finds a grant in the journal.
 */
export function isApplied(account: Account | undefined, { spec }: Tenant): boolean {
  return (
    account?.state === spec.state &&
    account.displayName === spec.displayName &&
    account.models.join(' ') === spec.models.join(' ') &&
    account.priority === (spec.priority ?? 'normal') &&
    (account.budget?.monthlyMs ?? 0) === (spec.budget?.monthlyAudioSeconds ?? 0) * 1000 &&
    isDeepStrictEqual(comparable(account.limits), comparable(spec.limits))
  );
}

/** Returns limits in a form that does not depend on the order of models. */
function comparable({ models = [], ...limits }: TenantLimits): object {
  return { ...limits, models: Object.fromEntries(models.map((entry) => [entry.model, entry.concurrentSessions])) };
}

/** Waits until the operator has copied a tenant to the ledger. Returns false on timeout. */
export function waitUntilTenantApplied(ledger: LedgerView, tenant: Tenant, polling: PollOptions): Promise<boolean> {
  const { name } = tenant.metadata;
  return pollUntil(async () => isApplied(await ledger.accounts.read(name), tenant), polling);
}

/** Waits until the operator has closed the account of a deleted tenant. Returns false on timeout. */
export function waitUntilTenantClosed(ledger: LedgerView, name: string, polling: PollOptions): Promise<boolean> {
  return pollUntil(async () => {
    const account = await ledger.accounts.read(name);
    return account === undefined || account.state === 'Deleted';
  }, polling);
}

/** Difference between the clocks of this machine and of Redis that a wait tolerates. */
const CLOCK_SLACK_MS = 60_000;
const PAGE_ENTRIES = 1000;

/** Waits until a new grant is in the tenant's journal. Returns false on timeout. */
export function waitUntilGrantApplied(
  ledger: LedgerView,
  tenant: string,
  grantId: string,
  nowMs: number,
  polling: PollOptions,
): Promise<boolean> {
  // Entry ids start with the time of Redis, so older entries can be skipped.
  let after = `${nowMs - CLOCK_SLACK_MS}-0`;
  return pollUntil(async () => {
    for (;;) {
      const page = await ledger.journal.read(tenant, { after, count: PAGE_ENTRIES });
      if (page.some((entry) => entry.type === 'grant' && entry.subject === grantId)) return true;
      after = page.at(-1)?.id ?? after;
      if (page.length < PAGE_ENTRIES) return false;
    }
  }, polling);
}
