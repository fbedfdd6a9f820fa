import type { ResourceOf } from '@svc-asr/core';
import type { Ledger, RebuildPlan } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import { appliedAmounts, applyAccount } from './account.ts';
import type { AccountDependencies } from './account.ts';

export interface RebuildOptions extends AccountDependencies {
  identity: Pick<Ledger['identity'], 'finishRebuild'>;
  tenants: () => readonly ResourceOf<'Tenant'>[];
  logger: Logger;
}

/** Builds the plan of a rebuild: the balances that it would restore. */
export function buildPlan(ledgerId: string, options: Pick<RebuildOptions, 'tenants' | 'checkpointOf'>): RebuildPlan {
  const tenants = options.tenants().map(({ metadata: { name }, spec }) => {
    const checkpoint = options.checkpointOf(name);
    const applied = appliedAmounts(checkpoint);
    const grantedMs = spec.grants.reduce(
      (sum, { id, audioSeconds }) => sum + (applied.get(id) ?? audioSeconds * 1000),
      checkpoint?.budget?.grantedMs ?? 0,
    );
    if (checkpoint === undefined) return { tenant: name, grantedMs };
    const { consumedMs, checkpointAt } = checkpoint;
    return { tenant: name, grantedMs, consumedMs, checkpointAt };
  });
  return { ledgerId, tenants };
}

/**
 * Restores the accounts from Tenants and checkpoints. After a partial failure, the rebuild can be repeated. The ledger
 * id is written last, so that no session uses an account without its consumption.
 */
export async function rebuildLedger(ledgerId: string, options: RebuildOptions): Promise<void> {
  const { logger } = options;
  for (const tenant of options.tenants()) {
    const { name } = tenant.metadata;
    const { restored } = await applyAccount(tenant, ledgerId, options);
    if (restored === undefined) {
      const message = `${name} was restored from its grants only, because it has no checkpoint`;
      logger.warn({ tenant: name }, message);
      continue;
    }
    const { consumedMs, checkpointAt } = restored;
    logger.warn({ tenant: name, amount: consumedMs }, `${name} was restored with its consumption at ${checkpointAt}`);
  }
  await options.identity.finishRebuild(ledgerId);
  logger.warn({ reason: ledgerId }, 'the ledger was rebuilt');
}
