import type { ResourceOf } from '@svc-asr/core';
import type { Ledger, TenantSettings } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import type { Checkpoint } from '../ledger/checkpoint.ts';
import type { Notices } from '../notices.ts';
import type { Applied } from './applied.ts';
import type { Reconciler } from './reconciler.ts';

type Tenant = ResourceOf<'Tenant'>;

export interface TenantDependencies {
  accounts: Pick<Ledger['accounts'], 'configure' | 'grant' | 'restore' | 'close'>;
  applied: Applied;
  notices: Notices;
  /** What a tenant had consumed when it was last seen. */
  checkpointOf: (tenant: string) => Checkpoint | undefined;
  ledgerId: () => string | undefined;
  logger: Logger;
}

/** Tenant -> account with state, scope, limits and grants. */
export function createTenantReconciler(dependencies: TenantDependencies): Reconciler<'Tenant'> {
  const { accounts, applied } = dependencies;
  return {
    present: [
      { name: 'note it', run: ({ metadata }) => applied.add('Tenant', metadata.name) },
      {
        name: 'configure the account',
        run: (tenant) => accounts.configure(tenant.metadata.name, buildSettings(tenant)),
      },
      { name: 'apply the grants', run: (tenant) => applyGrants(tenant, dependencies) },
      { name: 'restore what was consumed', run: (tenant) => restoreConsumed(tenant, dependencies) },
    ],
    absent: [
      { name: 'close the account', run: (name) => accounts.close(name) },
      { name: 'forget it', run: (name) => applied.forget('Tenant', name) },
    ],
  };
}

/**
 * An account that was lost, alone or with others, is made anew by the steps before this one. It takes up where it was last
 * seen, once in each ledger: an account that was never lost has consumed as much already, and nothing changes.
 */
async function restoreConsumed({ metadata: { name } }: Tenant, on: TenantDependencies): Promise<void> {
  const checkpoint = on.checkpointOf(name);
  const ledgerId = on.ledgerId();
  if (checkpoint === undefined || ledgerId === undefined) return;
  const { added, consumedMs } = await on.accounts.restore(name, ledgerId, checkpoint.consumedMs);
  if (!added) return;
  on.logger.error(
    { tenant: name, amount: consumedMs },
    `the account of ${name} was gone from Redis; it was made anew with what it had consumed at ${checkpoint.checkpointAt}`,
  );
}

/** What the ledger keeps of a Tenant. */
export function buildSettings({ spec }: Tenant): TenantSettings {
  return { displayName: spec.displayName, state: spec.state, models: spec.models, limits: spec.limits };
}

/** One after the other, in the order of the list: a correction takes from what the grants before it gave. */
async function applyGrants({ metadata: { name }, spec }: Tenant, dependencies: TenantDependencies): Promise<void> {
  const { accounts, logger } = dependencies;
  for (const { id, audioSeconds } of spec.grants) {
    const { applied, amountMs } = await accounts.grant(name, id, audioSeconds * 1000);
    if (applied)
      logger.info({ tenant: name, reason: id, amount: amountMs }, `granted ${amountMs} ms of audio to ${name}`);
    else warnOfEdit(name, id, audioSeconds, amountMs, dependencies);
  }
}

/** Someone who edits a grant's amount believes to have changed the credit. */
function warnOfEdit(tenant: string, id: string, audioSeconds: number, appliedMs: number, on: TenantDependencies): void {
  const notice = `grant ${tenant} ${id}`;
  // A correction may have taken less than it asked for: then it says nothing about an edit.
  const same =
    audioSeconds < 0 ? appliedMs <= 0 && appliedMs >= audioSeconds * 1000 : appliedMs === audioSeconds * 1000;
  if (same) {
    on.notices.clear(notice);
    return;
  }
  on.notices.raise(notice, String(audioSeconds), () =>
    on.logger.warn(
      { tenant, reason: id, amount: appliedMs },
      `grant "${id}" of ${tenant} says ${audioSeconds} s but was applied with ${appliedMs / 1000} s before; ` +
        'an id is applied once for ever: add a grant with a new id instead',
    ),
  );
}
