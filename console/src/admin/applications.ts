import type { Tenant } from '@svc-asr/core';
import type { Router } from 'express';
import { approve, decline, WELCOME_GRANT } from '../applications/application.ts';
import type { Audited } from '../audit/act.ts';
import type { Deps } from '../deps.ts';
import { ConsoleError } from '../errors.ts';
import { waitUntilGrantApplied, waitUntilTenantApplied } from '../tenants/wait.ts';
import { viewTenant } from '../tenants/view.ts';
import { createJsonReader, valid } from '../http/body.ts';
import { methodNotAllowed } from '../http/error-handler.ts';
import { checkNoQuery } from '../http/query.ts';
import { sendDecision } from '../mail/decision.ts';
import { checkApproval, checkDecline } from './schemas.ts';

/** Serves the waitlist to administrators. */
export function routeWaitlist(router: Router, deps: Deps, audited: Audited): void {
  const { store, ledger, settings, logger, now } = deps;
  const readJson = createJsonReader(settings.ADMIN_BODY_BYTES);
  const polling = { timeoutMs: settings.KEY_ACTIVATION_TIMEOUT_MS, intervalMs: settings.KEY_POLL_INTERVAL_MS };

  /** Updates an existing tenant, and waits for the operator to apply the update. On timeout, `applied` is false. */
  async function change(name: string, by: (tenant: Tenant) => Tenant) {
    let isChanged = false;
    const { resource } = await store.update('Tenant', name, (current) => {
      if (current === undefined) throw new ConsoleError('tenant_not_found');
      const changed = by(current);
      isChanged = changed !== current;
      return changed;
    });
    const applied = await waitUntilTenantApplied(ledger, resource, polling);
    return { ...viewTenant({ resource, readOnlyIn: undefined }), applied, isChanged };
  }

  router
    .route('/admin/v1/applications')
    .get(async (request, response) => {
      valid(checkNoQuery(request.query));
      const waiting = (await store.list('Tenant')).filter(({ resource }) => resource.spec.state === 'Waitlisted');
      // The oldest application comes first.
      const data = waiting.map(viewTenant).sort((a, b) => (a.created_at ?? '').localeCompare(b.created_at ?? ''));
      response.json({ object: 'list', data });
    })
    .all(methodNotAllowed('GET, HEAD'));

  router
    .route('/admin/v1/applications/:name/approve')
    .post(
      audited('application.approve', async (request, response, act) => {
        const { name } = request.params;
        const { audio_seconds: requested, models, limits } = valid(checkApproval(await readJson(request, response)));
        const requestedAtMs = now();
        const answer = await change(name, (tenant) =>
          approve(tenant, { requested, fallback: settings.WELCOME_CREDIT_SECONDS, models, limits }),
        );
        const grant = answer.spec.grants.find(({ id }) => id === WELCOME_GRANT);
        act.detail = {
          audio_seconds: grant?.audioSeconds ?? 0,
          ...(models !== undefined && { models }),
          ...(limits !== undefined && { limits }),
        };
        // If the application was approved before, the grant is already applied. There is no wait in this case, because
        // the journal entry of the grant may be too old to be found.
        const isNew = grant !== undefined && answer.isChanged;
        const hasCredit = !isNew || (await waitUntilGrantApplied(ledger, name, WELCOME_GRANT, requestedAtMs, polling));
        const { isChanged, ...shown } = answer;
        if (isChanged) logger.info({ tenant: name, amount: grant?.audioSeconds ?? 0 }, 'application approved');
        const mail = isChanged ? await sendDecision(deps, name) : {};
        response.json({ ...shown, applied: shown.applied && hasCredit, ...mail });
      }),
    )
    .all(methodNotAllowed('POST'));

  router
    .route('/admin/v1/applications/:name/decline')
    .post(
      audited('application.decline', async (request, response, act) => {
        const { name } = request.params;
        // Earlier versions of the svc-asr command send no body.
        const hasBody = request.headers['content-type'] !== undefined;
        const { reason } = valid(checkDecline(hasBody ? await readJson(request, response) : {}));
        const { isChanged, ...shown } = await change(name, (tenant) => decline(tenant, reason));
        act.detail = { has_reason: reason !== undefined && reason !== '' };
        if (isChanged) logger.info({ tenant: name }, 'application declined');
        const mail = isChanged ? await sendDecision(deps, name) : {};
        response.json({ ...shown, ...mail });
      }),
    )
    .all(methodNotAllowed('POST'));
}
