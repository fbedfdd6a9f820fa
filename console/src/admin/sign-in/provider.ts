import type { Router } from 'express';
import type { Deps } from '../../deps.ts';
import { ConsoleError } from '../../errors.ts';
import { createCookie } from '../../http/cookie.ts';
import { requestIdOf } from '../../http/observe.ts';
import type { AdminRole } from '../../identity/settings.ts';
import { routeProviderSignIn } from '../../identity/sign-in-routes.ts';
import type { Administrator } from './administrator.ts';
import type { AdminSessions } from './sessions.ts';

/** Serves the sign-in of administrators with OpenID Connect, if groups of the provider are configured. */
export function routeAdminProviderSignIn(
  router: Router,
  { provider, audit, peppers, settings, logger, now }: Deps,
  sessions: AdminSessions,
): void {
  if (provider === undefined || settings.OIDC_ADMIN_GROUPS.size === 0) return;
  routeProviderSignIn(router, {
    provider,
    baseUrl: settings.ADMIN_CONSOLE_URL,
    startPath: '/admin/v1/sign-in/oidc',
    callbackPath: '/admin/v1/sign-in/callback',
    loginCookie: createCookie('svc_asr_admin_login', 'Lax'),
    failuresPerMinute: settings.ADMIN_FAILED_ATTEMPTS_PER_MINUTE,
    peppers,
    logger,
    now,
    onUser: (request, response, { issuer, subject, name, groups }) => {
      const role = roleOf(groups, settings.OIDC_ADMIN_GROUPS);
      const actor = `oidc:${issuer}#${subject}`;
      if (role === undefined) {
        logger.warn({ reason: 'no group of the user has a role' }, 'sign-in of an administrator refused');
        throw new ConsoleError('no_admin_role');
      }
      const administrator: Administrator = { actor, name, signedInBy: 'oidc', role };
      sessions.start(request, response, administrator);
      audit.record({
        actor,
        name,
        action: 'administrator.sign_in',
        target: `administrator/${actor}`,
        tenant: null,
        requestId: requestIdOf(response),
        detail: { role },
      });
      return Promise.resolve();
    },
  });
}

/** Returns the highest role that the groups give. Undefined if none of them has a role. */
export function roleOf(groups: readonly string[], roles: ReadonlyMap<string, AdminRole>): AdminRole | undefined {
  const given = groups.map((group) => roles.get(group));
  return given.includes('administrator') ? 'administrator' : given.find((role) => role !== undefined);
}
