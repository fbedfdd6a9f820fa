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
      { name: 'bring the account into force', run: (tenant) => applyAccount(tenant, dependencies) },
    ],
    absent: [
      { name: 'close the account', run: (name) => accounts.close(name) },
      { name: 'forget it', run: (name) => applied.forget('Tenant', name) },
    ],
  };
}

/**
 * Settings, then grants. An account that was just made although its Tenant has consumed something was lost: it starts with
 * no state that sessions can be made in, and takes up where it was last seen before it gets its own.
 */
async function applyAccount(tenant: Tenant, dependencies: TenantDependencies): Promise<void> {
  const { accounts, checkpointOf, ledgerId, logger } = dependencies;
  const { name } = tenant.metadata;
  const settings = buildSettings(tenant);
  const checkpoint = checkpointOf(name);
  if (checkpoint === undefined || checkpoint.consumedMs === 0) {
    await accounts.configure(name, settings);
    await applyGrants(tenant, dependencies);
    return;
  }
  const { created } = await accounts.configure(name, settings);
  if (created) await accounts.configure(name, { ...settings, state: 'Suspended' });
  await applyGrants(tenant, dependencies);
  if (!created) return;
  const restored = await accounts.restore(name, ledgerId() ?? 'unknown', checkpoint.consumedMs);
  await accounts.configure(name, settings);
  logger.error(
    { tenant: name, amount: restored.consumedMs },
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
