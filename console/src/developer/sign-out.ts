import { createAttemptLimiter } from '@svc-asr/runtime';
import type { Request, Response } from 'express';
import { withEndedSession } from '../applications/ended-sessions.ts';
import { sessionLinkIdOf } from '../applications/link.ts';
import { ConsoleError } from '../errors.ts';
import { SESSION_COOKIE } from './cookie.ts';
import type { DeveloperDeps } from './deps.ts';
import type { LinkSession, SessionFinder } from './find-session.ts';

const HOUR_MS = 3_600_000;
/** Maximum number of sign-outs of a tenant per hour that are stored. Storing a sign-out writes the Tenant. */
const SIGN_OUTS_PER_HOUR = 20;

/**
 * Creates the handler that ends the session of a request, so that a copy of its cookie is refused too. The comments in
 * the function `endLink` below describe two exceptions. Other replicas of the console refuse the copy after the time to
 * live of their cache. The cookie is cleared last, so that a failed sign-out can be repeated.
 */
export function createSignOut({ store, identity, now }: DeveloperDeps, finder: SessionFinder) {
  const signOuts = createAttemptLimiter(SIGN_OUTS_PER_HOUR, HOUR_MS);

  async function endLink({ tenant, session, readOnlyIn }: LinkSession): Promise<void> {
    // A Tenant in a read-only folder cannot store the sign-out. Its sessions end when they expire.
    if (readOnlyIn !== undefined) return;
    const { name } = tenant.metadata;
    // Above the limit, a sign-out only clears the cookie of this browser. A copy of the cookie works until it expires.
    if (signOuts.waitMs(name, now()) > 0) return;
    signOuts.fail(name, now());
    await store.update('Tenant', name, (current) => {
      // If the tenant has a new link, the sessions of the old link have already ended.
      if (current === undefined || sessionLinkIdOf(current) !== session.linkId) throw new ConsoleError('not_signed_in');
      return withEndedSession(current, session, now());
    });
  }

  async function end(request: Request): Promise<void> {
    // The user is checked first, because `find` throws for a user without a tenant.
    const user = await finder.findUser(request);
    if (user !== undefined) {
      await identity.users.end(user.token);
      return;
    }
    const found = await finder.find(request);
    if (found.signedInBy === 'link') await endLink(found);
  }

  return async (request: Request, response: Response): Promise<void> => {
    try {
      await end(request);
    } catch (error) {
      const isEnded = error instanceof ConsoleError && error.code === 'not_signed_in';
      if (!isEnded) throw error;
    }
    SESSION_COOKIE.clear(request, response);
    response.json({ object: 'sign_in', tenant: null });
  };
}
