import type { Tenant } from '@svc-asr/core';
import { ConsoleError } from '../errors.ts';
import { keysOf } from '../resources/keys-of.ts';
import type { ResourceStore, Stored } from '../resources/store.ts';

/**
 * Returns a key of the tenant. Keys of other tenants are reported as not found, so that their ids cannot be probed.
 */
export async function findOwnKey(store: ResourceStore, { metadata }: Tenant, keyId: string): Promise<Stored<'ApiKey'>> {
  const found = (await keysOf(store, metadata.name)).find(({ resource }) => resource.spec.keyId === keyId);
  if (found === undefined) throw new ConsoleError('key_not_found', { message: 'You have no key with this id.' });
  return found;
}
