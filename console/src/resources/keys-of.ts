import type { ResourceStore, Stored } from './store.ts';

/**
 * Returns the keys of a tenant. Reads the keys with the tenant's label, and all keys without a label, which may belong
 * to any tenant. Keys that an older console or kubectl created have no label until an administrator adds one.
 */
export async function keysOf(
  store: Pick<ResourceStore, 'labelledKeys' | 'unlabelledKeys'>,
  tenant: string,
): Promise<Stored<'ApiKey'>[]> {
  const lists = await Promise.all([store.labelledKeys(tenant), store.unlabelledKeys()]);
  // The label is only an index. `spec.tenant`, which cannot change, decides.
  return lists.flat().filter(({ resource }) => resource.spec.tenant === tenant);
}
