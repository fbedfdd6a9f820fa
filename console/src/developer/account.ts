import type { Tenant } from '@svc-asr/core';
import type { Router } from 'express';
import { valid } from '../http/body.ts';
import { methodNotAllowed } from '../http/error-handler.ts';
import { checkNoQuery } from '../http/query.ts';
import { declineReasonOf } from '../tenants/decline-reason.ts';
import { LINK_EXPIRY_ANNOTATION } from '../applications/link.ts';
import { readIfAvailable } from '../ledger-view.ts';
import { creditRequestOf } from '../tenants/credit-request.ts';
import { isCreditLow } from '../tenants/credit-low.ts';
import { viewAccount } from '../tenants/view.ts';
import type { OwnTenantView } from '../responses.ts';
import type { DeveloperDeps } from './deps.ts';
import { sessionOf } from './authorize.ts';
import type { SignedIn } from './find-session.ts';

/** Serves the signed-in developer's tenant. */
export function routeAccount(router: Router, { ledger, settings, gateway }: DeveloperDeps, signedIn: SignedIn): void {
  router
    .route('/console/v1/account')
    .get(async (request, response) => {
      valid(checkNoQuery(request.query));
      const tenant = await signedIn(request);
      const { available, value } = await readIfAvailable(() => ledger.accounts.read(tenant.metadata.name));
      const account = viewAccount(value);
      const view: OwnTenantView = {
        ...viewOwn(tenant),
        api_url: settings.API_URL,
        api_ca_file: settings.EXAMPLE_CA_FILE === '' ? null : settings.EXAMPLE_CA_FILE,
        account,
        playground: gateway !== undefined,
        ledger_available: available,
        role: sessionOf(request).role,
        read_only: sessionOf(request).readOnlyIn !== undefined,
        credit_low: account !== null && isCreditLow(account.credits),
        credit_request: creditRequestOf(tenant),
        decline_reason: declineReasonOf(tenant),
      };
      response.json(view);
    })
    .all(methodNotAllowed('GET, HEAD'));
}

/** Returns what a developer may see of the tenant. Grants and other fields for administrators are left out. */
function viewOwn({ metadata, spec }: Tenant) {
  return {
    object: 'tenant' as const,
    name: metadata.name,
    display_name: spec.displayName,
    state: spec.state,
    created_at: metadata.creationTimestamp ?? null,
    contact: spec.contact ?? null,
    link_expires_at: metadata.annotations?.[LINK_EXPIRY_ANNOTATION] ?? null,
    models: spec.models,
    limits: {
      concurrent_sessions: spec.limits.concurrentSessions,
      sessions_per_minute: spec.limits.sessionsPerMinute,
      requests_per_minute: spec.limits.requestsPerMinute,
    },
  };
}
