import type { Express } from 'express';
import { createAudited } from '../audit/act.ts';
import type { Deps } from '../deps.ts';
import { administratorOf } from './administrator.ts';
import { routeAudit } from './audit.ts';
import { authenticate } from './authenticate.ts';
import { routeWaitlist } from './applications.ts';
import { routeKeys } from './keys.ts';
import { routePage, SHARED_SCRIPTS } from '../page/files.ts';
import { routeLinks } from './links.ts';
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
  const audited = createAudited(deps.audit, administratorOf);
  routeTenants(app, deps, audited);
  routeGrants(app, deps, audited);
  routePurge(app, deps, audited);
  routeWaitlist(app, deps, audited);
  routeLinks(app, deps, audited);
  routeKeys(app, deps, audited);
  routeRecords(app, deps, audited);
  routeUsage(app, deps);
  routeLedger(app, deps, audited);
  routeAudit(app, deps);
  app.use(notFound);
  app.use(handleError(logger));
  return app;
}
