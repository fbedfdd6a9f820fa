import { createAttemptLimiter } from '@svc-asr/runtime';
import type { Express, RequestHandler } from 'express';
import { createAudited } from '../audit/act.ts';
import { ConsoleError } from '../errors.ts';
import { createApp } from '../http/app.ts';
import { handleError, methodNotAllowed, notFound } from '../http/error-handler.ts';
import { routeAccount } from './account.ts';
import { routeApplications } from './applications.ts';
import type { DeveloperDeps } from './deps.ts';
import { routeOwnKeys } from './keys.ts';
import { routeLink } from './link.ts';
import { routePlayground } from './playground.ts';
import { routePage, SHARED_SCRIPTS } from '../page/files.ts';
import { routeSessions } from './sessions.ts';
import { actorOf, createAuthorize, signedInTenant } from './authorize.ts';
import { createSessionFinder } from './find-session.ts';
import { routeDeveloperSignIn } from './provider-sign-in.ts';
import { routeSignIn } from './sign-in.ts';
import { routeUserSession } from './user-session.ts';

/**
 * Creates the app of the console port: the page for developers and the API that it uses. The admin API is not part of
 * it.
 */
export function createDeveloperApp(deps: DeveloperDeps): Express {
  const { settings, logger, metrics } = deps;
  const app = createApp(logger, metrics);
  app.set('trust proxy', settings.TRUSTED_PROXIES.length > 0 ? settings.TRUSTED_PROXIES : false);

  routePage(app, ['index.html', 'console.css', 'console.js', ...SHARED_SCRIPTS, 'account.js', 'keys.js', 'usage.js']);
  app
    .route('/docs')
    .get((_request, response) => response.redirect(`${settings.API_URL}/docs`))
    .all(methodNotAllowed('GET, HEAD'));
  app.use(refuseForeignOrigin);
  const failures = createAttemptLimiter(settings.SIGN_IN_FAILURES_PER_MINUTE, 60_000);
  const finder = createSessionFinder(deps, deps.identity.users, failures);
  app.use(createAuthorize(finder.find));
  const signedIn = signedInTenant;
  const audited = createAudited(deps.audit, actorOf);
  routeApplications(app, deps, finder);
  routeSignIn(app, deps, failures, finder);
  routeDeveloperSignIn(app, deps, failures);
  routeUserSession(app, deps, finder);
  routeLink(app, deps, signedIn, audited);
  routeAccount(app, deps, signedIn);
  routeSessions(app, deps, signedIn);
  routeOwnKeys(app, deps, signedIn, audited);
  routePlayground(app, deps, signedIn);
  app.use(notFound);
  app.use(handleError(logger, 'public'));
  return app;
}

/**
 * Rejects writes that a browser sends for a page of another site. Browsers do not send the SameSite cookie then either;
 * this is a second line of defence.
 */
const refuseForeignOrigin: RequestHandler = (request, _response, next) => {
  const { origin, host } = request.headers;
  const isForeign = request.headers['sec-fetch-site'] === 'cross-site' || (origin !== undefined && !isOf(origin, host));
  if (isForeign && request.method !== 'GET' && request.method !== 'HEAD') throw new ConsoleError('foreign_origin');
  next();
};

function isOf(origin: string, host: string | undefined): boolean {
  return URL.canParse(origin) && new URL(origin).host === host;
}
