import type { Tenant } from '@svc-asr/core';
import type { Router } from 'express';
import { approve, decline } from '../applications/application.ts';
import { giveLink, withLink } from '../applications/link.ts';
import type { Deps } from '../deps.ts';
import { ConsoleError } from '../errors.ts';
import { tenantInForce } from '../tenants/in-force.ts';
import { viewTenant } from '../tenants/view.ts';
import { createJsonReader, valid } from './body.ts';
import { methodNotAllowed } from './refusals.ts';
import { checkApproval, checkNoQuery } from './schemas.ts';

/** The waitlist as the administrator sees it, and decisions about it. Private links are replaced here too. */
export function routeWaitlist(router: Router, { store, ledger, peppers, settings, logger }: Deps): void {
  const readJson = createJsonReader(settings.ADMIN_BODY_BYTES);
  const patience = { timeoutMs: settings.KEY_ACTIVATION_MS, intervalMs: settings.KEY_POLL_MS };

  /** Changes a tenant that is there, and answers with it once the operator has heard of it. */
  async function change(name: string, by: (tenant: Tenant) => Tenant) {
    const { resource } = await store.update('Tenant', name, (current) => {
      if (current === undefined) throw new ConsoleError('tenant_not_found');
      return by(current);
    });
    const inForce = await tenantInForce(ledger, resource, patience);
    return { ...viewTenant({ resource, readOnlyIn: undefined }), in_force: inForce };
  }

  router
    .route('/admin/v1/applications')
    .get(async (request, response) => {
      valid(checkNoQuery(request.query));
      const waiting = (await store.list('Tenant')).filter(({ resource }) => resource.spec.state === 'Waitlisted');
      // Who waited longest comes first.
      const data = waiting.map(viewTenant).sort((a, b) => ((a.created_at ?? '') < (b.created_at ?? '') ? -1 : 1));
      response.json({ object: 'list', data });
    })
    .all(methodNotAllowed('GET, HEAD'));

  router
    .route('/admin/v1/applications/:name/approve')
    .post(async (request, response) => {
      const { name } = request.params;
      const given = valid(checkApproval(await readJson(request, response)));
      const audioSeconds = given.audio_seconds ?? settings.WELCOME_SECONDS;
      const answer = await change(name, (tenant) => approve(tenant, { audioSeconds }));
      logger.info({ tenant: name, amount: audioSeconds }, 'an application was approved');
      response.json(answer);
    })
    .all(methodNotAllowed('POST'));

  router
    .route('/admin/v1/applications/:name/decline')
    .post(async (request, response) => {
      const { name } = request.params;
      const answer = await change(name, decline);
      logger.info({ tenant: name }, 'an application was declined');
      response.json(answer);
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
      response.status(201).json({ object: 'link', tenant: name, token, path: `/#${token}` });
    })
    .all(methodNotAllowed('POST'));
}
