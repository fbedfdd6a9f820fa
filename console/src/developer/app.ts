import type { Express } from 'express';
import { createApp } from '../http/app.ts';
import { notFound, refuse } from '../http/refusals.ts';
import { routeAccount } from './account.ts';
import { routeApplications } from './applications.ts';
import type { DeveloperDeps } from './deps.ts';
import { routeOwnKeys } from './keys.ts';
import { refuseForeignOrigin } from './origin.ts';
import { routePage, SHARED_SCRIPTS } from '../page/files.ts';
import { createSignedIn, routeSignIn } from './sign-in.ts';

/** The console's port: the page for developers and what it asks for. The admin API is not here. */
export function createDeveloperApp(deps: DeveloperDeps): Express {
  const { settings, logger, metrics } = deps;
  const app = createApp(logger, metrics);
  app.set('trust proxy', settings.TRUSTED_PROXIES.length > 0 ? settings.TRUSTED_PROXIES : false);

  routePage(app, ['index.html', 'console.css', 'console.js', ...SHARED_SCRIPTS, 'account.js', 'keys.js', 'usage.js']);
  app.use(refuseForeignOrigin);
  const signedIn = createSignedIn(deps);
  routeApplications(app, deps);
  routeSignIn(app, deps);
  routeAccount(app, deps, signedIn);
  routeOwnKeys(app, deps, signedIn);
  app.use(notFound);
  app.use(refuse(logger, 'public'));
  return app;
}
