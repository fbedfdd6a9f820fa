import type { Deps } from '../deps.ts';
import { readIfAvailable } from '../ledger-view.ts';
import type { Stored } from '../resources/store.ts';
import type { ListedKey } from '../responses.ts';
import { replacedKeyOf } from './rotation.ts';
import { viewKey } from './view.ts';

/** Returns keys as the APIs show them, with the time of their last use. */
export async function viewKeys(
  ledger: Deps['ledger'],
  keys: readonly Stored<'ApiKey'>[],
): Promise<{ data: ListedKey[]; ledger_available: boolean }> {
  const ids = keys.map(({ resource }) => resource.spec.keyId);
  const used = await readIfAvailable(() => Promise.all(ids.map((id) => ledger.apiKeys.lastUsed(id))));
  const successors = new Map(keys.map(({ resource }) => [replacedKeyOf(resource), resource.spec.keyId]));
  const data = keys.map(({ resource, readOnlyIn }, at) => ({
    ...viewKey(resource),
    replaced_by: successors.get(resource.spec.keyId) ?? null,
    last_used_at: dateTime(used.value?.[at]) ?? resource.status?.lastUsedAt ?? null,
    read_only: readOnlyIn !== undefined,
  }));
  return { data, ledger_available: used.available };
}

function dateTime(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}
