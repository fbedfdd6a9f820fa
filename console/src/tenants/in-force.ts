import { isDeepStrictEqual } from 'node:util';
import type { Tenant } from '@svc-asr/core';
import type { Account } from '@svc-asr/ledger';
import type { LedgerView } from '../ledger-view.ts';
import { pollUntil } from '../poll.ts';
import type { Patience } from '../poll.ts';

/** True when the account is what the resource says, apart from its grants, which have ids of their own. */
export function matches(account: Account | undefined, { spec }: Tenant): boolean {
  return (
    account?.state === spec.state &&
    account.displayName === spec.displayName &&
    account.models.join(' ') === spec.models.join(' ') &&
    isDeepStrictEqual({ ...account.limits }, { ...spec.limits })
  );
}

/** Waits until the operator has brought a tenant to the ledger. */
export function tenantInForce(ledger: LedgerView, tenant: Tenant, patience: Patience): Promise<boolean> {
  const { name } = tenant.metadata;
  return pollUntil(async () => matches(await ledger.accounts.read(name), tenant), patience);
}

/** Waits until the operator has closed the account of a deleted tenant. */
export function tenantClosed(ledger: LedgerView, name: string, patience: Patience): Promise<boolean> {
  return pollUntil(async () => {
    const account = await ledger.accounts.read(name);
    return account === undefined || account.state === 'Deleted';
  }, patience);
}

/** How much the clocks of this machine and of Redis may differ for a grant to be found in the journal. */
const CLOCK_SLACK_MS = 60_000;
const PAGE_ENTRIES = 1000;

/** Waits until a grant that is made now stands in the tenant's journal. */
export function grantInForce(
  ledger: LedgerView,
  tenant: string,
  grantId: string,
  nowMs: number,
  patience: Patience,
): Promise<boolean> {
  // Ids of entries begin with the time of Redis, so there is no need to read from the beginning.
  let after = `${nowMs - CLOCK_SLACK_MS}-0`;
  return pollUntil(async () => {
    for (;;) {
      const page = await ledger.journal.read(tenant, { after, count: PAGE_ENTRIES });
      if (page.some((entry) => entry.type === 'grant' && entry.subject === grantId)) return true;
      after = page.at(-1)?.id ?? after;
      if (page.length < PAGE_ENTRIES) return false;
    }
  }, patience);
}
