import { createAttemptLimiter } from '@svc-asr/runtime';
import type { AttemptLimiter } from '@svc-asr/runtime';
import type { Tenant } from '@svc-asr/core';
import type { Request, Response, Router } from 'express';
import type { Act, Audited } from '../audit/act.ts';
import { createLink, isLinkRevoked, linkIdOf, withLink, withoutLink } from '../applications/link.ts';
import { ConsoleError } from '../errors.ts';
import { methodNotAllowed } from '../http/error-handler.ts';
import type { LinkView } from '../responses.ts';
import { sessionOf } from './authorize.ts';
import { SESSION_COOKIE } from './cookie.ts';
import type { DeveloperDeps } from './deps.ts';
import { tooMany } from './find-session.ts';
import type { SignedIn } from './find-session.ts';
import { startSession } from './sign-in.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Maximum number of links that a tenant may create per hour. Creating a link writes the Tenant. */
const LINKS_PER_HOUR = 10;

/**
 * Lets an owner replace or revoke the private link. Both actions end the sessions of all browsers that opened the link.
 * A browser that has signed in with the link and replaces it gets a new session.
 */
export function routeLink(router: Router, deps: DeveloperDeps, signedIn: SignedIn, audited: Audited): void {
  const { store, peppers, settings, logger, now } = deps;
  const creations = createAttemptLimiter(LINKS_PER_HOUR, HOUR_MS);
  // Revocations have a count of their own, so that a tenant that has created LINKS_PER_HOUR links can still revoke the
  // last one.
  const revocations = createAttemptLimiter(LINKS_PER_HOUR + 1, HOUR_MS);

  function count(limiter: AttemptLimiter, tenant: string): void {
    const waitMs = limiter.waitMs(tenant, now());
    if (waitMs > 0) throw tooMany(waitMs);
    limiter.fail(tenant, now());
  }

  /**
   * Changes the tenant. Throws `not_signed_in` if another request has changed the link or deleted the tenant since the
   * tenant was read.
   */
  async function change(tenant: Tenant, by: (current: Tenant) => Tenant): Promise<Tenant> {
    const { resource } = await store.update('Tenant', tenant.metadata.name, (current) => {
      if (current === undefined || linkIdOf(current) !== linkIdOf(tenant)) throw new ConsoleError('not_signed_in');
      return by(current);
    });
    return resource;
  }

  async function renew(request: Request, response: Response, act: Act): Promise<void> {
    const tenant = await signedIn(request);
    const { name } = tenant.metadata;
    act.tenant = name;
    count(creations, name);
    const expiresAtMs = now() + settings.LINK_DAYS * DAY_MS;
    // The token is generated outside of the update, because a store may run the update several times.
    const { token } = createLink(tenant, peppers, expiresAtMs);
    const renewed = await change(tenant, (current) => withLink(current, token, peppers, expiresAtMs));
    logger.info({ tenant: name }, 'private link replaced');
    // The new link has ended the session of a browser that opened the old link. Sessions of users continue.
    if (sessionOf(request).signedInBy === 'link') startSession(request, response, renewed, deps);
    const expiresAt = new Date(expiresAtMs).toISOString();
    const view: LinkView = { object: 'link', tenant: name, token, path: `/#${token}`, expires_at: expiresAt };
    response.status(201).json(view);
  }

  async function revoke(request: Request, response: Response, act: Act): Promise<void> {
    const tenant = await signedIn(request);
    const { name } = tenant.metadata;
    act.tenant = name;
    count(revocations, name);
    // `tenant` comes from a cache and may be some seconds old.
    const current = await store.get('Tenant', name);
    if (current !== undefined && isLinkRevoked(current.resource)) {
      act.entry = 'never';
    } else {
      // A tenant without a link is written too, because this ends the sessions that its sign-in codes have started.
      await change(tenant, withoutLink);
      logger.info({ tenant: name }, 'private link revoked');
    }
    if (sessionOf(request).signedInBy === 'link') SESSION_COOKIE.clear(request, response);
    response.json({ object: 'link', tenant: name, revoked: true });
  }

  router
    .route('/console/v1/link')
    .post(audited('link.create', renew))
    .delete(audited('link.revoke', revoke))
    .all(methodNotAllowed('POST, DELETE'));
}
