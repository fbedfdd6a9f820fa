import type { Member } from '@svc-asr/core';
import type { Logger } from '@svc-asr/runtime';
import type { CachedReads } from '../resources/cached-reads.ts';
import type { ResourceStore, UserIdentity } from '../resources/store.ts';
import type { MembershipView } from '../responses.ts';
import { userFields } from './member.ts';
import type { MemberUser } from './member.ts';

/** Returns the tenants of a user, sorted by name, with the role of the user in each. Deleted tenants are left out. */
export async function listMemberships(reads: CachedReads, user: UserIdentity): Promise<MembershipView[]> {
  const members = await reads.membershipsOf(user);
  const views = await Promise.all(
    members.map(async ({ resource: { spec } }) => {
      const tenant = await reads.tenant(spec.tenant);
      if (tenant === undefined) return [];
      return [{ tenant: spec.tenant, display_name: tenant.resource.spec.displayName, role: spec.role }];
    }),
  );
  return views.flat().sort((a, b) => a.tenant.localeCompare(b.tenant));
}

/**
 * Copies the name and the address of a user to the Members of the user. A failed update does not prevent the sign-in.
 */
export async function refreshMembers(store: ResourceStore, user: MemberUser, logger: Logger): Promise<void> {
  const fields = userFields(user);
  const isCurrent = ({ spec }: Member) => spec.name === fields.name && spec.email === fields.email;
  for (const { resource, readOnlyIn } of await store.membershipsOf(user)) {
    if (readOnlyIn !== undefined || isCurrent(resource)) continue;
    try {
      await store.update('Member', resource.metadata.name, (current) => {
        // The member was removed in between. Nothing is written.
        if (current === undefined) throw new Error('the Member was deleted');
        const { name: _name, email: _email, ...spec } = current.spec;
        return { ...current, spec: { ...spec, ...fields } };
      });
    } catch (err) {
      logger.warn({ err, tenant: resource.spec.tenant }, 'cannot update the name of a member');
    }
  }
}
