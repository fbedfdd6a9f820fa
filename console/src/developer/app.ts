import { createAttemptLimiter } from '@svc-asr/runtime';
import type { Express } from 'express';
import { createAudited } from '../audit/act.ts';
import { createApp } from '../http/app.ts';
import { handleError, methodNotAllowed, notFound } from '../http/error-handler.ts';
import { checkSameOrigin } from '../http/same-origin.ts';
import { routeAccount } from './account.ts';
import { routeCreditRequests } from './credit-requests.ts';
import { routeApplications } from './applications.ts';
import type { DeveloperDeps } from './deps.ts';
import { routeOwnKeys } from './keys.ts';
import { createKeyIssuer } from './issue-key.ts';
import { routeKeyRotation } from './key-rotation.ts';
import { routeAcceptance, routeInvitationPreview, routeInvitations } from './invitations.ts';
import { routeLink } from './link.ts';
import { routeOwnModels } from './models.ts';
import { routePlayground } from './playground.ts';
import { routeSessions } from './sessions.ts';
import { actorOf, createAuthorize, signedInTenant } from './authorize.ts';
import { createSessionFinder } from './find-session.ts';
import { routeDeveloperSignIn } from './provider-sign-in.ts';
import { loadWebPage } from '../page/web.ts';
import { routeRefusals } from './refusals.ts';
import { routeOwnUsage } from './usage.ts';
import { routeSignIn } from './sign-in.ts';
import { routeTeam } from './team.ts';
import { routeUserSession } from './user-session.ts';

/**
 * Creates the app of the console port: the page for developers and the API that it uses. The admin API is not part of
 * it.
 */
export function createDeveloperApp(deps: DeveloperDeps): Express {
  const { settings, logger, metrics } = deps;
  const app = createApp(logger, metrics);
  app.set('trust proxy', settings.TRUSTED_PROXIES.length > 0 ? settings.TRUSTED_PROXIES : false);

  const page = loadWebPage('developer', [streamOrigin(settings.API_URL)]);
  page.route(app);
  app
    .route('/docs')
    .get((_request, response) => response.redirect(`${settings.API_URL}/docs`))
    .all(methodNotAllowed('GET, HEAD'));
  app.use((request, _response, next) => {
    checkSameOrigin(request);
    next();
  });
  const failures = createAttemptLimiter(settings.SIGN_IN_FAILURES_PER_MINUTE, 60_000);
  const finder = createSessionFinder(deps, deps.identity.users, failures);
  app.use(createAuthorize(finder.find));
  const signedIn = signedInTenant;
  const audited = createAudited(deps.audit, actorOf);
  routeApplications(app, deps, finder);
  routeSignIn(app, deps, failures, finder);
  routeDeveloperSignIn(app, deps);
  routeUserSession(app, deps, finder);
  routeTeam(app, deps, audited);
  routeInvitationPreview(app, deps, failures);
  routeAcceptance(app, deps, finder, failures, audited);
  routeInvitations(app, deps, audited);
  routeLink(app, deps, signedIn, audited);
  routeAccount(app, deps, signedIn);
  routeSessions(app, deps, signedIn);
  routeOwnUsage(app, deps, signedIn);
  routeRefusals(app, deps, signedIn);
  routeCreditRequests(app, deps, signedIn, audited);
  const issue = createKeyIssuer(deps);
  routeOwnKeys(app, deps, signedIn, issue, audited);
  routeKeyRotation(app, deps, signedIn, issue, audited);
  routeOwnModels(app, deps, signedIn);
  routePlayground(app, deps, signedIn);
  page.routeOthers(app);
  app.use(notFound);
  app.use(handleError(logger, 'public'));
  return app;
}

/** Returns the origin of the streams of the public API. The playground connects to it. */
function streamOrigin(apiUrl: string): string {
  return new URL(apiUrl).origin.replace(/^http/, 'ws');
}
