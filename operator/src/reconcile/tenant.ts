import type { Ledger } from '@svc-asr/ledger';
import type { ResourceOf } from '@svc-asr/core';
import type { Logger } from '@svc-asr/runtime';
import type { Notices } from '../notices.ts';
import { applyAccount } from '../ledger/account.ts';
import type { AccountDependencies, AppliedAccount, AppliedGrant } from '../ledger/account.ts';
import type { Applied } from './applied.ts';
import type { Reconciler } from './reconciler.ts';
import type { WaitingKeys } from './waiting-keys.ts';

export interface TenantDependencies extends AccountDependencies {
  accounts: AccountDependencies['accounts'] & Pick<Ledger['accounts'], 'close'>;
  applied: Applied;
  notices: Notices;
  ledgerId: () => string | undefined;
  /** Removes all data of a deleted tenant, if an administrator requested the removal. */
  purge: (tenant: string) => Promise<void>;
  waitingKeys: Pick<WaitingKeys, 'take'>;
  /** Enqueues the ApiKey of this name. */
  enqueueKey: (name: string) => void;
  logger: Logger;
}

/** Creates the reconciler that gives a Tenant an account with its settings and grants. */
export function createTenantReconciler(dependencies: TenantDependencies): Reconciler<'Tenant'> {
  const { accounts, applied, ledgerId, waitingKeys, enqueueKey } = dependencies;
  return {
    present: [
      { name: 'record the tenant', run: ({ metadata }) => applied.add('Tenant', metadata.name) },
      {
        name: 'update the account',
        run: async (tenant) => logChanges(tenant, await applyAccount(tenant, ledgerId(), dependencies), dependencies),
      },
      { name: 'enqueue waiting keys', run: ({ metadata }) => waitingKeys.take(metadata.name).forEach(enqueueKey) },
    ],
    absent: [
      { name: 'close the account', run: (name) => accounts.close(name) },
      { name: 'remove the record', run: (name) => applied.forget('Tenant', name) },
      { name: 'purge the data', run: dependencies.purge },
    ],
  };
}

function logChanges(
  { metadata: { name } }: ResourceOf<'Tenant'>,
  { grants, restored }: AppliedAccount,
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
    `the account of ${name} was missing from Redis and was recreated with its consumption at ${restored.checkpointAt}`,
  );
}

/** Warns about an edited grant. The amount of an applied grant cannot change, so the edit has no effect. */
function warnOfEdit(tenant: string, { id, audioSeconds, amountMs }: AppliedGrant, on: TenantDependencies): void {
  const notice = `grant ${tenant} ${id}`;
  // A negative grant may have removed less credit than its amount. That does not mean that it was edited.
  const same = audioSeconds < 0 ? amountMs <= 0 && amountMs >= audioSeconds * 1000 : amountMs === audioSeconds * 1000;
  if (same) {
    on.notices.clear(notice);
    return;
  }
  on.notices.raise(notice, String(audioSeconds), () =>
    on.logger.warn(
      { tenant, reason: id, amount: amountMs },
      `grant "${id}" of ${tenant} has ${audioSeconds} s but was already applied with ${amountMs / 1000} s; ` +
        'an id is applied only once. Add a grant with a new id instead',
    ),
  );
}
