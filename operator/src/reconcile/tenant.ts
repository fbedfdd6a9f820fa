import type { Ledger } from '@svc-asr/ledger';
import type { ResourceOf } from '@svc-asr/core';
import type { Logger } from '@svc-asr/runtime';
import type { Notices } from '../notices.ts';
import { bringAccount } from '../ledger/account.ts';
import type { AccountMeans, Brought, BroughtGrant } from '../ledger/account.ts';
import type { Applied } from './applied.ts';
import type { Reconciler } from './reconciler.ts';

export interface TenantDependencies extends AccountMeans {
  accounts: AccountMeans['accounts'] & Pick<Ledger['accounts'], 'close'>;
  applied: Applied;
  notices: Notices;
  ledgerId: () => string | undefined;
  logger: Logger;
}

/** Tenant -> account with state, scope, limits and grants. */
export function createTenantReconciler(dependencies: TenantDependencies): Reconciler<'Tenant'> {
  const { accounts, applied, ledgerId } = dependencies;
  return {
    present: [
      { name: 'note it', run: ({ metadata }) => applied.add('Tenant', metadata.name) },
      {
        name: 'bring the account into force',
        run: async (tenant) => tell(tenant, await bringAccount(tenant, ledgerId(), dependencies), dependencies),
      },
    ],
    absent: [
      { name: 'close the account', run: (name) => accounts.close(name) },
      { name: 'forget it', run: (name) => applied.forget('Tenant', name) },
    ],
  };
}

function tell(
  { metadata: { name } }: ResourceOf<'Tenant'>,
  { grants, restored }: Brought,
  on: TenantDependencies,
): void {
  for (const grant of grants) {
    const { id, applied, amountMs } = grant;
    if (!applied) warnOfEdit(name, grant, on);
    else on.logger.info({ tenant: name, reason: id, amount: amountMs }, `granted ${amountMs} ms of audio to ${name}`);
  }
  if (restored?.added !== true) return;
  on.logger.error(
    { tenant: name, amount: restored.consumedMs },
    `the account of ${name} was gone from Redis; it was made anew with what it had consumed at ${restored.checkpointAt}`,
  );
}

/** Someone who edits a grant's amount believes to have changed the credit. */
function warnOfEdit(tenant: string, { id, audioSeconds, amountMs }: BroughtGrant, on: TenantDependencies): void {
  const notice = `grant ${tenant} ${id}`;
  // A correction may have taken less than it asked for: then it says nothing about an edit.
  const same = audioSeconds < 0 ? amountMs <= 0 && amountMs >= audioSeconds * 1000 : amountMs === audioSeconds * 1000;
  if (same) {
    on.notices.clear(notice);
    return;
  }
  on.notices.raise(notice, String(audioSeconds), () =>
    on.logger.warn(
      { tenant, reason: id, amount: amountMs },
      `grant "${id}" of ${tenant} says ${audioSeconds} s but was applied with ${amountMs / 1000} s before; ` +
        'an id is applied once for ever: add a grant with a new id instead',
    ),
  );
}
