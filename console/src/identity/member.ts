import { randomBytes } from 'node:crypto';
import { API_VERSION } from '@svc-asr/core';
import type { Member, MemberRole } from '@svc-asr/core';
import { createUnique } from '../resources/create-unique.ts';
import type { ResourceStore, Stored, UserIdentity } from '../resources/store.ts';
import { isMemberFor } from '../resources/user-label.ts';

const NAME_BYTES = 8;

/** Identity and display fields of a user. */
export interface MemberUser extends UserIdentity {
  readonly name: string | null;
  readonly email: string | null;
}

/** Returns a random name for a Member. It reveals nothing about the user. */
export function newMemberName(): string {
  return `m${randomBytes(NAME_BYTES).toString('hex')}`;
}

/** Makes a user a member of a tenant. */
export async function createMember(
  store: ResourceStore,
  tenant: string,
  role: MemberRole,
  user: MemberUser,
): Promise<Member> {
  const { resource } = await createUnique(store, 'Member', () => ({
    resource: {
      apiVersion: API_VERSION,
      kind: 'Member',
      metadata: { name: newMemberName() },
      spec: { tenant, role, ...userFields(user) },
    } satisfies Member,
  }));
  return resource;
}

/** Returns the fields of a Member's spec that describe its user. */
export function userFields({ issuer, subject, name, email }: MemberUser) {
  return { issuer, subject, ...(name !== null && { name }), ...(email !== null && { email }) };
}

/**
 * Returns the Member that makes a user a member of a tenant. `members` are the Members of the tenant. If there are
 * several for the user, returns the first one by name.
 */
export function findMember(members: readonly Stored<'Member'>[], user: UserIdentity): Member | undefined {
  const own = members.map(({ resource }) => resource).filter((resource) => isMemberFor(resource, user));
  return own.sort((a, b) => a.metadata.name.localeCompare(b.metadata.name))[0];
}
