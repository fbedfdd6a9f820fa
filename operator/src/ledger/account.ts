import type { ResourceOf } from '@svc-asr/core';
import type { Ledger, TenantSettings, TenantVersion } from '@svc-asr/ledger';
import type { Checkpoint } from './checkpoint.ts';

type Tenant = ResourceOf<'Tenant'>;

export interface AccountDependencies {
  accounts: Pick<Ledger['accounts'], 'configure' | 'grant' | 'restore'>;
  /** Returns the last checkpoint of a tenant. */
  checkpointOf: (tenant: string) => Checkpoint | undefined;
  /** Returns whether the source has no newer version of this Tenant. */
  isNewest: (tenant: Tenant) => Promise<boolean>;
}

/** Result of applying a grant. */
export interface AppliedGrant {
  id: string;
  audioSeconds: number;
  /** False if an earlier call has already applied the grant. */
  applied: boolean;
  /** Change of the balance by this call, or by the earlier call that applied the grant. */
  amountMs: number;
}

/** Result of applying a Tenant to its account. */
export interface AppliedAccount {
  grants: AppliedGrant[];
  /**
   * Consumption that was restored from a checkpoint. `added` is false if an earlier call restored it, or if nothing was
   * missing. `restored` is undefined if there is no checkpoint or no ledger id.
   */
  restored: { added: boolean; consumedMs: number; checkpointAt: string } | undefined;
}

/**
 * Applies a Tenant to its account, even if a part of the account exists already. After a partial failure, the call can
 * be repeated. An account that was lost is recreated with the consumption of its last checkpoint. This happens once per
 * ledger. An account that was not lost keeps its consumption.
 */
export async function applyAccount(
  tenant: Tenant,
  ledgerId: string | undefined,
  { accounts, checkpointOf, isNewest }: AccountDependencies,
): Promise<AppliedAccount> {
  const { name } = tenant.metadata;
  await configure(tenant, { accounts, isNewest });
  const grants: AppliedGrant[] = [];
  const applied = appliedAmounts(checkpointOf(name));
  // Grants are applied in the order of the list, because a negative grant can remove only credit that earlier grants
  // added.
  for (const { id, audioSeconds } of tenant.spec.grants) {
    grants.push({ id, audioSeconds, ...(await accounts.grant(name, id, audioSeconds * 1000, applied.get(id))) });
  }
  if (ledgerId === undefined) return { grants, restored: undefined };
  const { consumedMs = 0, checkpointAt, budget } = checkpointOf(name) ?? {};
  // The restore also runs without a checkpoint, because it stores a mark in the account. Every later backup of Redis
  // contains this mark, so that an account from a backup does not count as lost.
  const done = await accounts.restore(name, ledgerId, consumedMs, budget);
  return { grants, restored: checkpointAt === undefined ? undefined : { ...done, checkpointAt } };
}

/** Returns, by grant id, how much credit a negative grant removed if it could not remove its full amount. */
export function appliedAmounts(checkpoint: Checkpoint | undefined): ReadonlyMap<string, number> {
  return new Map((checkpoint?.limitedCorrections ?? []).map(({ id, appliedMs }) => [id, appliedMs]));
}

/**
 * Writes the settings of a Tenant to the ledger. If the ledger has a newer generation of the Tenant, it refuses the
 * write, which may be a late write of a former leader. If the source does not have that newer generation, the cluster
 * was restored from a backup, and the settings are written nevertheless.
 */
async function configure(tenant: Tenant, { accounts, isNewest }: Pick<AccountDependencies, 'accounts' | 'isNewest'>) {
  const { name } = tenant.metadata;
  const [settings, version] = [buildSettings(tenant), versionOf(tenant)];
  if (await accounts.configure(name, settings, version)) return;
  if (!(await isNewest(tenant)))
    throw new Error(`the ledger has a newer generation of the Tenant ${name} than this operator has seen`);
  await accounts.configure(name, settings);
}

/** Builds the fields of a Tenant that the ledger stores. */
function buildSettings({ spec }: Tenant): TenantSettings {
  const { displayName, state, models, limits, budget, priority } = spec;
  const monthlyBudgetMs = budget === undefined ? undefined : budget.monthlyAudioSeconds * 1000;
  return { displayName, state, models, limits, monthlyBudgetMs, priority };
}

/**
 * Returns the version of a Tenant. Undefined for a Tenant from a file, which needs no version because only one operator
 * reads the files.
 */
function versionOf({ metadata: { uid, generation } }: Tenant): TenantVersion | undefined {
  return uid === undefined || generation === undefined ? undefined : { uid, generation };
}
