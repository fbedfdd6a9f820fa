import { API_GROUP } from '@svc-asr/core';
import type { Member, Tenant } from '@svc-asr/core';
import { ConsoleError } from '../errors.ts';
import type { ResourceStore } from '../resources/store.ts';

/**
 * Annotation of a Tenant with the owners that are being demoted or removed: `NAME:TIME…`, with times in milliseconds.
 * All consoles write this one object, so that two of them cannot remove the last two owners at the same time.
 */
export const LEAVING_OWNERS_ANNOTATION = `${API_GROUP}/leaving-owners`;

/**
 * Time for which an entry of the annotation counts. It is far longer than the write of a Member takes. After this time,
 * an owner whose demotion failed counts as an owner again.
 */
const LEAVING_MS = 60_000;

/**
 * Call before one user is demoted or removed. `leaving` are the Member resources of that user. Marks the owners among
 * them in the Tenant, unless the Tenant is read-only. Throws `last_owner` if the tenant would have no owner afterwards.
 */
export async function reserveLeaving(
  store: ResourceStore,
  tenant: string,
  leaving: readonly Member[],
  nowMs: number,
): Promise<void> {
  const names = leaving.filter(isOwner).map(({ metadata }) => metadata.name);
  if (names.length === 0) return;
  // The Members are read before the annotation of the Tenant. If another console removes an owner between these two
  // reads, the annotation already names this owner.
  const owners = (await store.membersOf(tenant)).map(({ resource }) => resource).filter(isOwner);
  const found = await store.get('Tenant', tenant);
  if (found === undefined) throw new ConsoleError('tenant_not_found');
  if (found.readOnlyIn !== undefined) {
    // Files have only one writer, which changes the team of a tenant one request at a time. No mark is needed.
    requireOther(owners, new Set(names));
    return;
  }
  await store.update('Tenant', tenant, (current) => {
    if (current === undefined) throw new ConsoleError('tenant_not_found');
    const entries = [...readLeaving(current, nowMs), ...names.map((name) => [name, nowMs] as const)];
    requireOther(owners, new Set(entries.map(([name]) => name)));
    const value = entries.map(([name, atMs]) => `${name}:${atMs}`).join(' ');
    const annotations = { ...current.metadata.annotations, [LEAVING_OWNERS_ANNOTATION]: value };
    return { ...current, metadata: { ...current.metadata, annotations } };
  });
}

/** Returns true if the resource is a member with the role owner. False for an invitation. */
export function isOwner({ spec }: Member): boolean {
  return spec.role === 'owner' && spec.invitation === undefined;
}

function requireOther(owners: readonly Member[], leaving: ReadonlySet<string>): void {
  if (!owners.some(({ metadata }) => !leaving.has(metadata.name))) throw new ConsoleError('last_owner');
}

function readLeaving({ metadata }: Tenant, nowMs: number): (readonly [name: string, atMs: number])[] {
  const entries = (metadata.annotations?.[LEAVING_OWNERS_ANNOTATION] ?? '').split(' ').map((entry) => {
    const [name = '', atMs = ''] = entry.split(':');
    return [name, Number(atMs)] as const;
  });
  return entries.filter(([name, atMs]) => name !== '' && atMs > nowMs - LEAVING_MS);
}
