import type { ResourceOf } from '@svc-asr/core';
import type { Ledger, TenantSettings, TenantVersion } from '@svc-asr/ledger';
import type { Checkpoint } from './checkpoint.ts';

type Tenant = ResourceOf<'Tenant'>;

export interface AccountMeans {
  accounts: Pick<Ledger['accounts'], 'configure' | 'grant' | 'restore'>;
  /** What a tenant had consumed when it was last seen. */
  checkpointOf: (tenant: string) => Checkpoint | undefined;
  /** Whether there is no newer state of a Tenant than this, asked where it is kept. */
  isNewest: (tenant: Tenant) => Promise<boolean>;
}

/** What became of a grant. */
export interface BroughtGrant {
  id: string;
  audioSeconds: number;
  /** False: it had been applied before, with this amount. */
  applied: boolean;
  amountMs: number;
}

/** What was done to an account. */
export interface Brought {
  grants: BroughtGrant[];
  /** What it had to be given back of what it had consumed; undefined: no checkpoint says anything. */
  restored: { added: boolean; consumedMs: number; checkpointAt: string } | undefined;
}

/**
 * Makes an account what its Tenant says, however much of it is there already; safe to repeat after a failure half way. An
 * account that was lost, alone or with others, is made anew and takes up where it was last seen, once in each ledger: one
 * that was never lost has consumed as much already, and nothing changes.
 */
export async function bringAccount(
  tenant: Tenant,
  ledgerId: string | undefined,
  { accounts, checkpointOf, isNewest }: AccountMeans,
): Promise<Brought> {
  const { name } = tenant.metadata;
  await configure(tenant, { accounts, isNewest });
  const grants: BroughtGrant[] = [];
  // One after the other, in the order of the list: a correction takes from what the grants before it gave.
  for (const { id, audioSeconds } of tenant.spec.grants) {
    grants.push({ id, audioSeconds, ...(await accounts.grant(name, id, audioSeconds * 1000)) });
  }
  if (ledgerId === undefined) return { grants, restored: undefined };
  const { consumedMs = 0, checkpointAt } = checkpointOf(name) ?? {};
  // Also without a checkpoint: the account then bears the mark that it was not lost, and so does every backup of it.
  const done = await accounts.restore(name, ledgerId, consumedMs);
  return { grants, restored: checkpointAt === undefined ? undefined : { ...done, checkpointAt } };
}

/**
 * A state that is older than the one in force is refused: it may have been on its way from an operator that led before.
 * Where it is the newest there is all the same, the cluster was restored from a backup, and it counts.
 */
async function configure(tenant: Tenant, { accounts, isNewest }: Pick<AccountMeans, 'accounts' | 'isNewest'>) {
  const { name } = tenant.metadata;
  const [settings, version] = [buildSettings(tenant), versionOf(tenant)];
  if (await accounts.configure(name, settings, version)) return;
  if (!(await isNewest(tenant)))
    throw new Error(`a newer state of the Tenant ${name} is in force than this operator has seen`);
  await accounts.configure(name, settings);
}

/** What the ledger keeps of a Tenant. */
function buildSettings({ spec }: Tenant): TenantSettings {
  return { displayName: spec.displayName, state: spec.state, models: spec.models, limits: spec.limits };
}

/** Files have no version: one operator alone reads them. */
function versionOf({ metadata: { uid, generation } }: Tenant): TenantVersion | undefined {
  return uid === undefined || generation === undefined ? undefined : { uid, generation };
}
