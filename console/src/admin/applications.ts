import type { Tenant } from '@svc-asr/core';
import type { Router } from 'express';
import { approve, decline, WELCOME_GRANT } from '../applications/application.ts';
import { giveLink, withLink } from '../applications/link.ts';
import type { Deps } from '../deps.ts';
import { ConsoleError } from '../errors.ts';
import { grantInForce, tenantInForce } from '../tenants/in-force.ts';
import { viewTenant } from '../tenants/view.ts';
import { createJsonReader, valid } from '../http/body.ts';
import { methodNotAllowed } from '../http/refusals.ts';
import { checkNoQuery } from '../http/query.ts';
import type { LinkView } from '../responses.ts';
import { checkApproval } from './schemas.ts';

/** The waitlist as the administrator sees it, and decisions about it. Private links are replaced here too. */
export function routeWaitlist(router: Router, { store, ledger, peppers, settings, logger, now }: Deps): void {
  const readJson = createJsonReader(settings.ADMIN_BODY_BYTES);
  const patience = { timeoutMs: settings.KEY_ACTIVATION_TIMEOUT_MS, intervalMs: settings.KEY_POLL_INTERVAL_MS };

  /** Changes a tenant that is there, and answers with it once the operator has heard of it. */
  async function change(name: string, by: (tenant: Tenant) => Tenant) {
    let isChanged = false;
    const { resource } = await store.update('Tenant', name, (current) => {
      if (current === undefined) throw new ConsoleError('tenant_not_found');
      const changed = by(current);
      isChanged = changed !== current;
      return changed;
    });
    const inForce = await tenantInForce(ledger, resource, patience);
    return { ...viewTenant({ resource, readOnlyIn: undefined }), in_force: inForce, isChanged };
  }

  router
    .route('/admin/v1/applications')
    .get(async (request, response) => {
      valid(checkNoQuery(request.query));
      const waiting = (await store.list('Tenant')).filter(({ resource }) => resource.spec.state === 'Waitlisted');
      // Who waited longest comes first.
      const data = waiting.map(viewTenant).sort((a, b) => (a.created_at ?? '').localeCompare(b.created_at ?? ''));
      response.json({ object: 'list', data });
    })
    .all(methodNotAllowed('GET, HEAD'));

  router
    .route('/admin/v1/applications/:name/approve')
    .post(async (request, response) => {
      const { name } = request.params;
      const { audio_seconds: asked } = valid(checkApproval(await readJson(request, response)));
      const askedAtMs = now();
      const answer = await change(name, (tenant) => approve(tenant, { asked, usual: settings.WELCOME_CREDIT_SECONDS }));
      const grant = answer.spec.grants.find(({ id }) => id === WELCOME_GRANT);
      // A grant of long ago is in force, and its entry may be far back in the journal.
      const isNew = grant !== undefined && answer.isChanged;
      const hasCredit = !isNew || (await grantInForce(ledger, name, WELCOME_GRANT, askedAtMs, patience));
      const { isChanged, ...shown } = answer;
      if (isChanged) logger.info({ tenant: name, amount: grant?.audioSeconds ?? 0 }, 'an application was approved');
      response.json({ ...shown, in_force: shown.in_force && hasCredit });
    })
    .all(methodNotAllowed('POST'));

  router
    .route('/admin/v1/applications/:name/decline')
    .post(async (request, response) => {
      const { name } = request.params;
      const { isChanged, ...shown } = await change(name, decline);
      if (isChanged) logger.info({ tenant: name }, 'an application was declined');
      response.json(shown);
    })
    .all(methodNotAllowed('POST'));

  router
    .route('/admin/v1/tenants/:name/link')
    .post(async (request, response) => {
      const { name } = request.params;
      const found = await store.get('Tenant', name);
      if (found === undefined) throw new ConsoleError('tenant_not_found');
      // Drawn once: a store may ask for the change again.
      const { token } = giveLink(found.resource, peppers);
      await change(name, (tenant) => withLink(tenant, token, peppers));
      logger.info({ tenant: name }, 'a private link was replaced');
      const view: LinkView = { object: 'link', tenant: name, token, path: `/#${token}` };
      response.status(201).json(view);
    })
    .all(methodNotAllowed('POST'));
}
