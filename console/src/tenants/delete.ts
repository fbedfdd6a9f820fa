import { ConsoleError } from '../errors.ts';
import type { ResourceStore } from '../resources/store.ts';

/**
 * Deletes a tenant and its keys. Returns the number of keys. The keys are deleted first, so that the tenant still
 * exists after an interruption and can be deleted again. No key remains for a later tenant of the same name.
 */
export async function deleteTenant(store: ResourceStore, name: string): Promise<number> {
  const tenant = await store.get('Tenant', name);
  if (tenant === undefined) throw new ConsoleError('tenant_not_found');
  const keys = (await store.list('ApiKey')).filter(({ resource }) => resource.spec.tenant === name);
  const readOnly = [tenant, ...keys].find(({ readOnlyIn }) => readOnlyIn !== undefined);
  if (readOnly?.readOnlyIn !== undefined) {
    const { kind, metadata } = readOnly.resource;
    throw new ConsoleError('read_only_resource', {
      message: `${kind}/${metadata.name} is defined in ${readOnly.readOnlyIn}, which the console must not write. Remove it from that file first.`,
    });
  }
  for (const { resource } of keys) await store.delete('ApiKey', resource.metadata.name);
  await store.delete('Tenant', name);
  return keys.length;
}
