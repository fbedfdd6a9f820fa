import { keysOf } from './keys-of.ts';
import { BriefCache } from './brief-cache.ts';
import type { ConsoleKind, ResourceStore, Stored, UserIdentity } from './store.ts';
import { digestOf } from './user-label.ts';

/** Reads for requests of developers. Results may be as old as the time to live of the cache. */
export interface CachedReads {
  tenant: (name: string) => Promise<Stored<'Tenant'> | undefined>;
  keysOf: (tenant: string) => Promise<Stored<'ApiKey'>[]>;
  membersOf: (tenant: string) => Promise<Stored<'Member'>[]>;
  membershipsOf: (user: UserIdentity) => Promise<Stored<'Member'>[]>;
}

/** Maximum number of entries that each cache keeps. */
const MAX_ENTRIES = 1000;
/** Cache key for the list of API keys without the label that names their tenant. No tenant can have this name. */
const WITHOUT_LABEL = '';

/**
 * Adds cached reads to a store. Writes must use the returned store, which removes changed entries from the cache.
 * Changes by other writers become visible after `ttlMs`.
 */
export function addCachedReads(inner: ResourceStore, ttlMs: number): { store: ResourceStore; reads: CachedReads } {
  const tenants = new BriefCache<Stored<'Tenant'> | undefined>({ ttlMs, maxEntries: MAX_ENTRIES });
  const keys = new BriefCache<Stored<'ApiKey'>[]>({ ttlMs, maxEntries: MAX_ENTRIES });
  const members = new BriefCache<Stored<'Member'>[]>({ ttlMs, maxEntries: MAX_ENTRIES });
  const memberships = new BriefCache<Stored<'Member'>[]>({ ttlMs, maxEntries: MAX_ENTRIES });

  function forget(kind: ConsoleKind, name: string): void {
    if (kind === 'Tenant') tenants.delete(name);
    else if (kind === 'ApiKey') keys.clear();
    else {
      members.clear();
      memberships.clear();
    }
  }

  const store: ResourceStore = {
    ...inner,
    // A failed write may have been executed, so its cache entries are removed too.
    update: (kind, name, change) => inner.update(kind, name, change).finally(() => forget(kind, name)),
    delete: (kind, name, check) => inner.delete(kind, name, check).finally(() => forget(kind, name)),
  };
  const reads: CachedReads = {
    tenant: (name) => tenants.read(name, () => inner.get('Tenant', name)),
    keysOf: (tenant) =>
      keysOf(
        {
          labelledKeys: (name) => keys.read(name, () => inner.labelledKeys(name)),
          unlabelledKeys: () => keys.read(WITHOUT_LABEL, () => inner.unlabelledKeys()),
        },
        tenant,
      ),
    membersOf: (tenant) => members.read(tenant, () => inner.membersOf(tenant)),
    membershipsOf: (user) => memberships.read(digestOf(user), () => inner.membershipsOf(user)),
  };
  return { store, reads };
}
