import { createAttemptLimiter } from '@svc-asr/runtime';
import type { AttemptLimiter } from '@svc-asr/runtime';
import type { Request, Response, Router } from 'express';
import type { Act, Audited } from '../audit/act.ts';
import { ConsoleError } from '../errors.ts';
import { createJsonReader, valid } from '../http/body.ts';
import { methodNotAllowed } from '../http/error-handler.ts';
import { accept, buildInvitation, deleteVoid, invitationNameOf, isValid, isVoid } from '../identity/invitation.ts';
import { findMember } from '../identity/member.ts';
import { includesRole } from '../identity/roles.ts';
import { createUnique } from '../resources/create-unique.ts';
import { createKeyedMutex } from '../resources/keyed-mutex.ts';
import type { InvitationPreview, InvitationView } from '../responses.ts';
import { sessionOf, userActor } from './authorize.ts';
import type { DeveloperDeps } from './deps.ts';
import { refuseIfBlocked, tooMany } from './find-session.ts';
import type { FoundSession, SessionFinder } from './find-session.ts';
import { checkInvitation, checkSignIn } from './schemas.ts';
import { viewMember } from './team.ts';
import { writeUserSession } from './user-session.ts';

const HOUR_MS = 3_600_000;
/** Maximum number of members and pending invitations of a tenant. */
const MAX_MEMBERS = 100;
/** Maximum number of invitations of a tenant per hour. An invitation writes a Member, and may send a mail. */
const INVITATIONS_PER_HOUR = 20;

/** Serves the invitations of a tenant. Owners create and withdraw them. */
export function routeInvitations(router: Router, deps: DeveloperDeps, audited: Audited): void {
  const { store, peppers, settings, logger, now } = deps;
  const readJson = createJsonReader(settings.CONSOLE_BODY_BYTES);
  const inTurn = createKeyedMutex();
  const creations = createAttemptLimiter(INVITATIONS_PER_HOUR, HOUR_MS);

  async function invite(request: Request, response: Response, act: Act): Promise<void> {
    const found = sessionOf(request);
    const { role, email } = valid(checkInvitation(await readJson(request, response)));
    // Only owners may invite today. If that changes, this check still refuses an invitation with a higher role than the
    // inviter's role.
    if (!includesRole(found.role, role)) throw new ConsoleError('insufficient_role');
    const tenant = found.tenant.metadata.name;
    const waitMs = creations.waitMs(tenant, now());
    if (waitMs > 0) throw tooMany(waitMs);
    creations.fail(tenant, now());
    const invitedBy = nameOf(found);
    const inviter = found.signedInBy === 'oidc' ? found.member : undefined;
    Object.assign(act, { tenant, detail: { role } });
    const { token, resource } = await inTurn(tenant, async () => {
      await deleteVoid(store, tenant, now());
      if ((await store.membersOf(tenant)).length >= MAX_MEMBERS) throw new ConsoleError('too_many_members');
      return createUnique(store, 'Member', () => {
        const drawn = buildInvitation({ tenant, role, email, invitedBy, inviter }, peppers, now());
        act.target = `invitation/${drawn.resource.metadata.name}`;
        return drawn;
      });
    });
    logger.info({ tenant, reason: role }, 'invitation created');
    const mailed = await deps.mailer.send('invited', email, {
      tenant: found.tenant.spec.displayName,
      invitedBy,
      role,
      url: `${settings.CONSOLE_URL}/#invite=${token}`,
    });
    const view: InvitationView = { ...viewMember(resource), token, path: `/#invite=${token}`, mailed };
    response.status(201).json(view);
  }

  async function withdraw(request: Request, response: Response, act: Act): Promise<void> {
    const tenant = sessionOf(request).tenant.metadata.name;
    const name = String(request.params.invitationName);
    const members = (await store.membersOf(tenant)).map(({ resource }) => resource);
    const found = members.find(({ metadata, spec }) => metadata.name === name && spec.invitation !== undefined);
    if (found === undefined) throw new ConsoleError('invitation_not_found');
    Object.assign(act, { tenant, target: `invitation/${name}` });
    await store.delete('Member', name);
    logger.info({ tenant }, 'invitation withdrawn');
    response.json({ object: 'invitation', id: name, withdrawn: true });
  }

  router.route('/console/v1/invitations').post(audited('invitation.create', invite)).all(methodNotAllowed('POST'));
  router
    .route('/console/v1/invitations/:invitationName')
    .delete(audited('invitation.withdraw', withdraw))
    .all(methodNotAllowed('DELETE'));
}

/** Serves the preview of an invitation to the holder of its link. The number of wrong tokens is limited per address. */
export function routeInvitationPreview(
  router: Router,
  { store, reads, peppers, settings, now }: DeveloperDeps,
  failures: AttemptLimiter,
): void {
  const readJson = createJsonReader(settings.CONSOLE_BODY_BYTES);

  async function find(token: string): Promise<InvitationPreview | undefined> {
    const name = invitationNameOf(token);
    const pending = name === undefined ? undefined : await store.get('Member', name);
    if (pending === undefined) return undefined;
    const { tenant, role, invitation } = pending.resource.spec;
    if (invitation === undefined || !isValid(invitation, token, peppers, now())) return undefined;
    const [found, members] = await Promise.all([reads.tenant(tenant), reads.membersOf(tenant)]);
    if (found === undefined || isVoid(pending.resource, members, now())) return undefined;
    const { invitedBy, expiresAt } = invitation;
    const { displayName } = found.resource.spec;
    return { object: 'invitation', tenant: displayName, invited_by: invitedBy, role, expires_at: expiresAt };
  }

  router
    .route('/console/v1/invitations/preview')
    .post(async (request, response) => {
      const { token } = valid(checkSignIn(await readJson(request, response)));
      refuseIfBlocked(failures, request, now());
      const preview = await find(token);
      if (preview === undefined) {
        failures.fail(request.ip ?? '', now());
        throw new ConsoleError('invitation_not_found');
      }
      response.json(preview);
    })
    .all(methodNotAllowed('POST'));
}

/** Serves the acceptance of an invitation by a signed-in user. The number of wrong tokens is limited per address. */
export function routeAcceptance(
  router: Router,
  { store, peppers, settings, logger, now }: DeveloperDeps,
  finder: SessionFinder,
  failures: AttemptLimiter,
  audited: Audited,
): void {
  const readJson = createJsonReader(settings.CONSOLE_BODY_BYTES);
  // This process runs acceptances for a tenant one after the other, so that a user who sends two of them becomes a
  // member only once.
  const inTurn = createKeyedMutex();

  async function join(request: Request, response: Response, act: Act): Promise<void> {
    const user = await finder.findUser(request);
    if (user === undefined) throw new ConsoleError('not_signed_in');
    act.actor = userActor(user);
    const { token } = valid(checkSignIn(await readJson(request, response)));
    refuseIfBlocked(failures, request, now());
    try {
      const name = invitationNameOf(token);
      const pending = name === undefined ? undefined : await store.get('Member', name);
      if (name === undefined || pending === undefined) throw new ConsoleError('invitation_not_found');
      const { tenant, role } = pending.resource.spec;
      Object.assign(act, { tenant, target: `member/${name}`, detail: { role } });
      const { resource } = await inTurn(tenant, async () => {
        const members = await store.membersOf(tenant);
        if (isVoid(pending.resource, members, now())) throw new ConsoleError('invitation_not_found');
        if (findMember(members, user) !== undefined) throw new ConsoleError('already_member');
        return store.update('Member', name, (current) => accept(current, token, user, peppers, now()));
      });
      logger.info({ tenant }, 'invitation accepted');
      writeUserSession(request, response, user, tenant, now());
      response.json(viewMember(resource, name));
    } catch (error) {
      if (error instanceof ConsoleError && error.code === 'invitation_not_found')
        failures.fail(request.ip ?? '', now());
      throw error;
    }
  }

  router.route('/console/v1/invitations/accept').post(audited('invitation.accept', join)).all(methodNotAllowed('POST'));
}

/** Returns the name that an invitation shows for its sender. */
function nameOf(found: FoundSession): string {
  if (found.signedInBy === 'link') return found.tenant.spec.displayName;
  return found.user.name ?? found.user.email ?? found.tenant.spec.displayName;
}
