import { randomBytes } from 'node:crypto';
import { API_VERSION } from '@svc-asr/core';
import type { Member, MemberRole } from '@svc-asr/core';
import { equalTexts, sign } from '@svc-asr/runtime';
import type { Keyring } from '@svc-asr/runtime';
import { ConsoleError } from '../errors.ts';
import type { ResourceStore, Stored } from '../resources/store.ts';
import { newMemberName, userFields } from './member.ts';
import type { MemberUser } from './member.ts';
import { includesRole } from './roles.ts';

/** Lifetime of an invitation. */
export const INVITATION_MS = 72 * 3_600_000;

const SECRET_BYTES = 24;
const TOKEN = /^(m[0-9a-f]{16})\.[\w-]{32}$/;

export interface InvitationRequest {
  readonly tenant: string;
  readonly role: MemberRole;
  /** Address for the mail and for display. Any user who has the link can accept the invitation. */
  readonly email: string | undefined;
  readonly invitedBy: string;
  /** Name of the Member that invites. Undefined for the holder of a private link. */
  readonly inviter: string | undefined;
}

/** Builds a pending invitation and its token, `NAME.SECRET`. The Member contains only a hash of the token. */
export function buildInvitation(
  { tenant, role, email, invitedBy, inviter }: InvitationRequest,
  peppers: Keyring,
  nowMs: number,
): { token: string; resource: Member } {
  const name = newMemberName();
  const token = `${name}.${randomBytes(SECRET_BYTES).toString('base64url')}`;
  const invitation = {
    hash: hashOf(token, peppers, peppers.current) ?? '',
    pepperId: peppers.current,
    expiresAt: new Date(nowMs + INVITATION_MS).toISOString(),
    invitedBy,
    ...(inviter !== undefined && { inviter }),
  };
  const spec = { tenant, role, ...(email !== undefined && { email }), invitation };
  return { token, resource: { apiVersion: API_VERSION, kind: 'Member', metadata: { name }, spec } };
}

/** Returns the name of the Member that a token belongs to. Undefined if the text is not a token. */
export function invitationNameOf(token: string): string | undefined {
  return TOKEN.exec(token)?.[1];
}

/**
 * Turns the invitation into a Member for the user, with the role that the invitation offers. Throws
 * `invitation_not_found` if the invitation was accepted or withdrawn, if it has expired, or if the token is wrong.
 */
export function accept(
  current: Member | undefined,
  token: string,
  user: MemberUser,
  peppers: Keyring,
  nowMs: number,
): Member {
  const pending = current?.spec.invitation;
  if (current === undefined || pending === undefined || !isValid(pending, token, peppers, nowMs)) {
    throw new ConsoleError('invitation_not_found');
  }
  const { tenant, role } = current.spec;
  return { ...current, spec: { tenant, role, ...userFields(user) } };
}

type Pending = NonNullable<Member['spec']['invitation']>;

/** Returns true if the token is that of the invitation, and the invitation has not expired. */
export function isValid(
  { hash, pepperId, expiresAt }: Pending,
  token: string,
  peppers: Keyring,
  nowMs: number,
): boolean {
  const expected = hashOf(token, peppers, pepperId);
  return expected !== undefined && equalTexts(hash, expected) && Date.parse(expiresAt) > nowMs;
}

/**
 * Returns true if the resource is an invitation that no user can accept any more. This is the case if it has expired,
 * or if the member who created it was removed. It is also the case if the role of that member is now lower than the
 * offered one. `members` are all Members of the tenant.
 */
export function isVoid({ spec }: Member, members: readonly Stored<'Member'>[], nowMs: number): boolean {
  const { invitation, role } = spec;
  if (invitation === undefined) return false;
  if (Date.parse(invitation.expiresAt) <= nowMs) return true;
  if (invitation.inviter === undefined) return false;
  const inviter = members.find(({ resource }) => resource.metadata.name === invitation.inviter)?.resource.spec;
  return inviter === undefined || inviter.invitation !== undefined || !includesRole(inviter.role, role);
}

/** Deletes the invitations of a tenant for which `isVoid` returns true, except those stored in read-only files. */
export async function deleteVoid(store: ResourceStore, tenant: string, nowMs: number): Promise<void> {
  const members = await store.membersOf(tenant);
  for (const { resource, readOnlyIn } of members) {
    if (readOnlyIn === undefined && isVoid(resource, members, nowMs)) {
      await store.delete('Member', resource.metadata.name);
    }
  }
}

/** Hashes a token. The prefix keeps these hashes apart from others with the same peppers. */
function hashOf(token: string, peppers: Keyring, pepperId: string): string | undefined {
  return sign(peppers, pepperId, `invitation:${token}`, 'hex');
}
