import type { Express } from 'express';
import type { Deps } from '../deps.ts';
import { authenticate } from './authenticate.ts';
import { routeWaitlist } from './applications.ts';
import { routeKeys } from './keys.ts';
import { routePage, SHARED_SCRIPTS } from '../page/files.ts';
import { routeLedger } from './ledger.ts';
import { routePurge } from './purge.ts';
import { createApp } from '../http/app.ts';
import { routeRecords } from './records.ts';
import { notFound, handleError } from '../http/error-handler.ts';
import { routeGrants, routeTenants } from './tenants.ts';
import { routeUsage } from './usage.ts';

/** Creates the app of the admin API and of the page for administrators. */
export function createAdminApp(deps: Deps): Express {
  const { settings, logger, metrics, now } = deps;
  const app = createApp(logger, metrics);

  routePage(app, ['admin.html', 'console.css', 'admin.js', ...SHARED_SCRIPTS]);
  app.use('/admin/v1', authenticate(settings.ADMIN_TOKEN, settings.ADMIN_FAILED_ATTEMPTS_PER_MINUTE, now));
  routeTenants(app, deps);
  routeGrants(app, deps);
  routePurge(app, deps);
  routeWaitlist(app, deps);
  routeKeys(app, deps);
  routeRecords(app, deps);
  routeUsage(app, deps);
  routeLedger(app, deps);
  app.use(notFound);
  app.use(handleError(logger));
  return app;
}
