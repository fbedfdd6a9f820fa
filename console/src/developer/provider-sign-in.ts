import type { Router } from 'express';
import { createCookie } from '../http/cookie.ts';
import { listMemberships, refreshMembers } from '../identity/memberships.ts';
import { routeProviderSignIn } from '../identity/sign-in-routes.ts';
import type { DeveloperDeps } from './deps.ts';
import { writeUserSession } from './user-session.ts';

/** Serves sign-in with OpenID Connect, if a provider is configured. The first tenant of the user is selected. */
export function routeDeveloperSignIn(router: Router, deps: DeveloperDeps): void {
  const { store, reads, identity, peppers, settings, logger, now } = deps;
  const { provider, users } = identity;
  if (provider === undefined) return;
  routeProviderSignIn(router, {
    provider,
    baseUrl: settings.CONSOLE_URL,
    startPath: '/console/v1/sign-in/oidc',
    callbackPath: '/console/v1/sign-in/callback',
    loginCookie: createCookie('svc_asr_login', 'Lax'),
    failuresPerMinute: settings.SIGN_IN_FAILURES_PER_MINUTE,
    peppers,
    logger,
    now,
    onUser: async (request, response, { issuer, subject, name, email }) => {
      const user = await users.start({ issuer, subject, name, email });
      await refreshMembers(store, user, logger);
      const [first] = await listMemberships(reads, user);
      writeUserSession(request, response, user, first?.tenant ?? '', now());
      logger.info({ tenant: first?.tenant }, 'user signed in');
    },
  });
}
