import type { ResourceStore, Stored } from './store.ts';

/**
 * Returns the keys of a tenant. The label saves reading the keys of other tenants. Keys of older versions or from
 * kubectl may have no label. They are all read, until an administrator labels them.
 */
export async function keysOf(
  store: Pick<ResourceStore, 'labelledKeys' | 'unlabelledKeys'>,
  tenant: string,
): Promise<Stored<'ApiKey'>[]> {
  const lists = await Promise.all([store.labelledKeys(tenant), store.unlabelledKeys()]);
  // The label is only an index. The spec, which is immutable, decides.
  return lists.flat().filter(({ resource }) => resource.spec.tenant === tenant);
}
