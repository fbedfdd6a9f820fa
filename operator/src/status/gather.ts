import type { ReconciledKind } from '@svc-asr/core';
import type { Ledger } from '@svc-asr/ledger';
import type { LedgerGuard } from '../ledger/guard.ts';
import type { ResourceSource } from '../source/source.ts';
import type { PoolManager } from '../workers/pool-manager.ts';
import { buildApiKeyFields, findRefusal } from './apikey.ts';
import { buildModelFields, findModelConditions } from './asrmodel.ts';
import type { Gather } from './reporter.ts';
import { buildTenantFields, findLedger, findUnknownModels } from './tenant.ts';
import type { StatusWriter } from './writer.ts';

export interface GatherOptions {
  accounts: Pick<Ledger['accounts'], 'read'>;
  keys: Pick<Ledger['apiKeys'], 'find' | 'lastUsed'>;
  guard: Pick<LedgerGuard, 'missing' | 'ledgerId'>;
  pools: Pick<PoolManager, 'status'>;
  source: Pick<ResourceSource, 'get'>;
  current: StatusWriter['current'];
  /** Milliseconds since 1970. */
  wallMs: () => number;
}

const NOTHING = { fields: {}, findings: [] };

/** Creates the functions that gather the status of a resource, one function for each kind. */
export function createGather(options: GatherOptions): { readonly [K in ReconciledKind]: Gather<K> } {
  const { accounts, keys, guard, pools, source, current, wallMs } = options;
  return {
    Tenant: async (name) => {
      const before = current('Tenant', name);
      const findings = [findLedger(guard.missing())];
      const limits = source.get('Tenant', name)?.spec.limits.models ?? [];
      // Most tenants have no limits for single models, so they get no condition UnknownModels.
      if (limits.length > 0 || before.conditions?.some(({ type }) => type === 'UnknownModels') === true)
        findings.push(findUnknownModels(limits, (model) => source.get('ASRModel', model) !== undefined));
      // The account in an emptied or wrong Redis must not overwrite the last checkpoint.
      const account = guard.missing() === undefined ? await accounts.read(name) : undefined;
      // Consumption never decreases. If the account has less consumption than the checkpoint, Redis has lost writes.
      // The status then keeps the value of the checkpoint.
      const known = before.credits?.consumedMs ?? 0;
      if (account === undefined || account.consumedMs < known) return { fields: {}, findings };
      const ledgerId = guard.ledgerId();
      const fields = buildTenantFields(account, before, wallMs());
      return { fields: { ...fields, ...(ledgerId !== undefined && { ledgerId }) }, findings };
    },
    ApiKey: async (name) => {
      const key = source.get('ApiKey', name);
      if (key === undefined) return NOTHING;
      const { keyId, tenant } = key.spec;
      const [record, lastUsedMs] = await Promise.all([keys.find(keyId), keys.lastUsed(keyId)]);
      const refusal = findRefusal(key, record, source.get('Tenant', tenant) !== undefined);
      return { fields: buildApiKeyFields(key, lastUsedMs), findings: refusal === undefined ? [] : [refusal] };
    },
    ASRModel: (name) => {
      const pool = pools.status(name);
      if (pool === undefined) return Promise.resolve(NOTHING);
      const fields = buildModelFields(pool, current('ASRModel', name), wallMs());
      return Promise.resolve({ fields, findings: findModelConditions(pool) });
    },
  };
}
