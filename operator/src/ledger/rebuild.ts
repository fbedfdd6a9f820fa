import type { ResourceOf } from '@svc-asr/core';
import type { Ledger, RebuildPlan } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import { buildSettings } from '../reconcile/tenant.ts';
import type { Checkpoint } from './checkpoint.ts';

type Tenant = ResourceOf<'Tenant'>;

export interface RebuildOptions {
  accounts: Pick<Ledger['accounts'], 'configure' | 'grant' | 'restore'>;
  identity: Pick<Ledger['identity'], 'finishRebuild'>;
  tenants: () => readonly Tenant[];
  checkpointOf: (tenant: string) => Checkpoint | undefined;
  logger: Logger;
}

/** What a rebuild would restore. */
export function buildPlan(ledgerId: string, options: Pick<RebuildOptions, 'tenants' | 'checkpointOf'>): RebuildPlan {
  const tenants = options.tenants().map(({ metadata: { name }, spec }) => ({
    tenant: name,
    grantedMs: spec.grants.reduce((sum, { audioSeconds }) => sum + audioSeconds * 1000, 0),
    ...options.checkpointOf(name),
  }));
  return { ledgerId, tenants };
}

/**
 * Restores the accounts from Tenants and checkpoints; safe to repeat after a failure half way. The ledger counts as there
 * when all are restored, so that no session sees an account without what it has consumed.
 */
export async function rebuildLedger(ledgerId: string, options: RebuildOptions): Promise<void> {
  const { accounts, logger } = options;
  for (const tenant of options.tenants()) {
    const { name } = tenant.metadata;
    await accounts.configure(name, buildSettings(tenant));
    for (const { id, audioSeconds } of tenant.spec.grants) await accounts.grant(name, id, audioSeconds * 1000);
    const checkpoint = options.checkpointOf(name);
    if (checkpoint === undefined) {
      logger.warn(
        { tenant: name },
        `${name} was restored from its grants alone: no checkpoint says what it had consumed`,
      );
      continue;
    }
    const { consumedMs } = await accounts.restore(name, ledgerId, checkpoint.consumedMs);
    const { checkpointAt } = checkpoint;
    logger.warn(
      { tenant: name, amount: consumedMs },
      `${name} was restored with what it had consumed at ${checkpointAt}`,
    );
  }
  await options.identity.finishRebuild(ledgerId);
  logger.warn({ reason: ledgerId }, 'the ledger was rebuilt');
}
