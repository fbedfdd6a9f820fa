import { ConsoleError } from '../errors.ts';
import type { ConsoleKind, ResourceStore, Stored } from '../resources/store.ts';

/**
 * Deletes a tenant, its keys and its members. Returns the number of keys. The tenant is deleted last. After an
 * interruption, it therefore still exists, and the deletion can be repeated. Otherwise, keys and members of the tenant
 * could remain and belong to a later tenant of the same name. Calls `onDelete` before the first deletion.
 */
export async function deleteTenant(store: ResourceStore, name: string, onDelete: () => void): Promise<number> {
  const tenant = await store.get('Tenant', name);
  if (tenant === undefined) throw new ConsoleError('tenant_not_found');
  const keys = (await store.list('ApiKey')).filter(({ resource }) => resource.spec.tenant === name);
  const members = await store.membersOf(name);
  checkWritable([tenant, ...keys, ...members]);
  onDelete();
  for (const { resource } of [...keys, ...members]) await store.delete(resource.kind, resource.metadata.name);
  await store.delete('Tenant', name);
  return keys.length;
}

/** Throws `read_only_resource` if the console must not write one of the resources. */
export function checkWritable(stored: readonly Stored<ConsoleKind>[]): void {
  for (const { resource, readOnlyIn } of stored) {
    if (readOnlyIn === undefined) continue;
    const { kind, metadata } = resource;
    throw new ConsoleError('read_only_resource', {
      message: `${kind}/${metadata.name} is defined in ${readOnlyIn}, which the console must not write. Remove it from that file first.`,
    });
  }
}
