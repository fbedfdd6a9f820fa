import type { ResourceOf } from '@svc-asr/core';
import type { Ledger, RebuildPlan } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import { bringAccount } from './account.ts';
import type { AccountMeans } from './account.ts';

export interface RebuildOptions extends AccountMeans {
  identity: Pick<Ledger['identity'], 'finishRebuild'>;
  tenants: () => readonly ResourceOf<'Tenant'>[];
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
  const { logger } = options;
  for (const tenant of options.tenants()) {
    const { name } = tenant.metadata;
    const { restored } = await bringAccount(tenant, ledgerId, options);
    if (restored === undefined) {
      const words = `${name} was restored from its grants alone: no checkpoint says what it had consumed`;
      logger.warn({ tenant: name }, words);
      continue;
    }
    const { consumedMs, checkpointAt } = restored;
    logger.warn(
      { tenant: name, amount: consumedMs },
      `${name} was restored with what it had consumed at ${checkpointAt}`,
    );
  }
  await options.identity.finishRebuild(ledgerId);
  logger.warn({ reason: ledgerId }, 'the ledger was rebuilt');
}
