import { createAttemptLimiter } from '@svc-asr/runtime';
import type { Express } from 'express';
import { createAudited } from '../audit/act.ts';
import type { Deps } from '../deps.ts';
import { createApp } from '../http/app.ts';
import { notFound, handleError } from '../http/error-handler.ts';
import { loadWebPage } from '../page/web.ts';
import { routeWaitlist } from './applications.ts';
import { routeAudit } from './audit.ts';
import { routeHealth } from './health.ts';
import { routeKeys } from './keys.ts';
import { routeLedger } from './ledger.ts';
import { routeLinks } from './links.ts';
import { routeModels } from './models.ts';
import { routePurge } from './purge.ts';
import { routeRecords } from './records.ts';
import { administratorOf } from './sign-in/administrator.ts';
import { authenticate, createTokenCheck } from './sign-in/authenticate.ts';
import { routeAdminProviderSignIn } from './sign-in/provider.ts';
import { routeAdminSessions, routeAdminSignIn } from './sign-in/routes.ts';
import { AdminSessions } from './sign-in/sessions.ts';
import { routeGrants, routeTenants } from './tenants.ts';
import { routeUsage } from './usage.ts';
import { routeViews } from './views.ts';

/** Creates the app of the admin API and of the page for administrators. */
export function createAdminApp(deps: Deps): Express {
  const { settings, logger, metrics, now } = deps;
  const app = createApp(logger, metrics);
  const audited = createAudited(deps.audit, administratorOf);
  const sessions = new AdminSessions(deps);
  const failures = createAttemptLimiter(settings.ADMIN_FAILED_ATTEMPTS_PER_MINUTE, 60_000);
  const tokenCheck = createTokenCheck(settings.ADMIN_TOKEN, failures, now);

  const page = loadWebPage('admin');
  page.route(app);
  routeAdminSignIn(app, deps, sessions, tokenCheck, audited);
  routeAdminProviderSignIn(app, deps, sessions);
  app.use('/admin/v1', authenticate(tokenCheck, sessions));
  routeAdminSessions(app, sessions, audited);
  routeTenants(app, deps, audited);
  routeGrants(app, deps, audited);
  routePurge(app, deps, audited);
  routeWaitlist(app, deps, audited);
  routeLinks(app, deps, audited);
  routeKeys(app, deps, audited);
  routeRecords(app, deps, audited);
  routeViews(app, deps, audited);
  routeUsage(app, deps, audited);
  routeLedger(app, deps, audited);
  routeAudit(app, deps);
  routeModels(app, deps);
  routeHealth(app, deps);
  page.routeOthers(app);
  app.use(notFound);
  app.use(handleError(logger));
  return app;
}
