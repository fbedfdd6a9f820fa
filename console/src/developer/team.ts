import type { Member } from '@svc-asr/core';
import { createAttemptLimiter } from '@svc-asr/runtime';
import type { Request, Response, Router } from 'express';
import type { Act, Audited } from '../audit/act.ts';
import { ConsoleError } from '../errors.ts';
import { createJsonReader, valid } from '../http/body.ts';
import { methodNotAllowed } from '../http/error-handler.ts';
import { checkNoQuery } from '../http/query.ts';
import { isVoid } from '../identity/invitation.ts';
import { isOwner, reserveLeaving } from '../identity/owners.ts';
import { createKeyedMutex } from '../resources/keyed-mutex.ts';
import type { ResourceStore } from '../resources/store.ts';
import { isMemberFor } from '../resources/user-label.ts';
import { checkWritable } from '../tenants/delete.ts';
import type { MemberView } from '../responses.ts';
import { sessionOf } from './authorize.ts';
import type { DeveloperDeps } from './deps.ts';
import { tooMany } from './find-session.ts';
import { checkRoleChange } from './schemas.ts';

const HOUR_MS = 3_600_000;
/** Maximum number of changes of a tenant's team per hour. A change writes or deletes a Member. */
const CHANGES_PER_HOUR = 60;

/** Serves the members of the signed-in user's tenant. Invitations are listed with them. */
export function routeTeam(router: Router, deps: DeveloperDeps, audited: Audited): void {
  const { store, reads, settings, logger, now } = deps;
  const readJson = createJsonReader(settings.CONSOLE_BODY_BYTES);
  // This process runs changes of one team one after the other, so that concurrent ones cannot leave a tenant without an
  // owner. `reserveLeaving` prevents this for concurrent changes at several consoles.
  const inTurn = createKeyedMutex();
  const changes = createAttemptLimiter(CHANGES_PER_HOUR, HOUR_MS);

  function count(tenant: string): void {
    const waitMs = changes.waitMs(tenant, now());
    if (waitMs > 0) throw tooMany(waitMs);
    changes.fail(tenant, now());
  }

  async function change(request: Request, response: Response, act: Act): Promise<void> {
    const found = sessionOf(request);
    const { role } = valid(checkRoleChange(await readJson(request, response)));
    const tenant = found.tenant.metadata.name;
    const name = String(request.params.memberName);
    count(tenant);
    Object.assign(act, { tenant, target: `member/${name}`, detail: { role } });
    const changed = await inTurn(tenant, async () => {
      const members = await findUser(store, tenant, name);
      if (role !== 'owner') await reserveLeaving(store, tenant, members, now());
      for (const member of members) {
        await store.update('Member', member.metadata.name, (current) => {
          if (current === undefined) throw new ConsoleError('member_not_found');
          if (role !== 'owner') refuseNewOwner(member, current);
          return { ...current, spec: { ...current.spec, role } };
        });
        act.entry = 'always';
      }
      return { ...members[0], spec: { ...members[0].spec, role } };
    });
    logger.info({ tenant, reason: role }, 'role of a member changed');
    response.json(viewMember(changed));
  }

  async function remove(request: Request, response: Response, act: Act): Promise<void> {
    const tenant = sessionOf(request).tenant.metadata.name;
    const name = String(request.params.memberName);
    count(tenant);
    Object.assign(act, { tenant, target: `member/${name}` });
    await inTurn(tenant, async () => {
      const members = await findUser(store, tenant, name);
      await reserveLeaving(store, tenant, members, now());
      for (const member of members) {
        await store.delete('Member', member.metadata.name, (current) => refuseNewOwner(member, current));
        act.entry = 'always';
      }
    });
    logger.info({ tenant }, 'member removed');
    response.json({ object: 'member', id: name, removed: true });
  }

  router
    .route('/console/v1/members')
    .get(async (request, response) => {
      valid(checkNoQuery(request.query));
      const found = sessionOf(request);
      const members = await reads.membersOf(found.tenant.metadata.name);
      const own = found.signedInBy === 'oidc' ? found.member : undefined;
      const data = members
        .filter(({ resource }) => !isVoid(resource, members, now()))
        .map(({ resource }) => viewMember(resource, own))
        .sort((a, b) => Number(a.invitation !== null) - Number(b.invitation !== null) || compare(a.name, b.name));
      response.json({ object: 'list', data });
    })
    .all(methodNotAllowed('GET, HEAD'));

  router
    .route('/console/v1/members/:memberName')
    .patch(audited('member.role', change))
    .delete(audited('member.remove', remove))
    .all(methodNotAllowed('PATCH, DELETE'));
}

/**
 * Returns the Member `name` of the tenant, followed by all other Members of the same user. Two consoles may have
 * created a Member for the same user, and a change must apply to both. Members of other tenants are reported as not
 * found.
 */
async function findUser(store: ResourceStore, tenant: string, name: string): Promise<[Member, ...Member[]]> {
  const members = await store.membersOf(tenant);
  const named = members.find(({ resource }) => resource.metadata.name === name)?.resource;
  const { issuer, subject } = named?.spec ?? {};
  if (named === undefined || issuer === undefined || subject === undefined) throw new ConsoleError('member_not_found');
  const same = members.filter(({ resource }) => isMemberFor(resource, { issuer, subject }));
  checkWritable(same);
  return [named, ...same.map(({ resource }) => resource).filter(({ metadata }) => metadata.name !== name)];
}

/** Throws `write_conflict` if another console made the member an owner after this one decided about the change. */
function refuseNewOwner(before: Member, current: Member): void {
  if (isOwner(current) && !isOwner(before)) throw new ConsoleError('write_conflict');
}

function compare(a: string | null, b: string | null): number {
  return (a ?? '').localeCompare(b ?? '');
}

/** Returns a member or a pending invitation as the page shows it. `own` is the member of the signed-in user. */
export function viewMember({ metadata, spec }: Member, own?: string): MemberView {
  const { role, name = null, email = null, invitation } = spec;
  return {
    object: 'member',
    id: metadata.name,
    role,
    name,
    email,
    is_you: metadata.name === own,
    created_at: metadata.creationTimestamp ?? null,
    invitation:
      invitation === undefined ? null : { invited_by: invitation.invitedBy, expires_at: invitation.expiresAt },
  };
}
