import type { Tenant } from '@svc-asr/core';
import type { Router } from 'express';
import { approve, decline, WELCOME_GRANT } from '../applications/application.ts';
import { createLink, isLinkExpired, withLink } from '../applications/link.ts';
import type { Deps } from '../deps.ts';
import { ConsoleError } from '../errors.ts';
import { waitUntilGrantApplied, waitUntilTenantApplied } from '../tenants/wait.ts';
import { viewTenant } from '../tenants/view.ts';
import { createJsonReader, valid } from '../http/body.ts';
import { methodNotAllowed } from '../http/error-handler.ts';
import { checkNoQuery } from '../http/query.ts';
import type { LinkView } from '../responses.ts';
import { checkApproval } from './schemas.ts';

const DAY_MS = 86_400_000;

/** Serves the waitlist to administrators, and creates private links and sign-in codes. */
export function routeWaitlist(router: Router, { store, ledger, peppers, codes, settings, logger, now }: Deps): void {
  const readJson = createJsonReader(settings.ADMIN_BODY_BYTES);
  const polling = { timeoutMs: settings.KEY_ACTIVATION_TIMEOUT_MS, intervalMs: settings.KEY_POLL_INTERVAL_MS };

  /** Updates an existing tenant, and waits until the operator has applied the update. */
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
    .post(async (request, response) => {
      const { name } = request.params;
      const { audio_seconds: requested } = valid(checkApproval(await readJson(request, response)));
      const requestedAtMs = now();
      const answer = await change(name, (tenant) =>
        approve(tenant, { requested, fallback: settings.WELCOME_CREDIT_SECONDS }),
      );
      const grant = answer.spec.grants.find(({ id }) => id === WELCOME_GRANT);
      // An earlier grant is applied already. Its journal entry may be far back, so the wait would not find it.
      const isNew = grant !== undefined && answer.isChanged;
      const hasCredit = !isNew || (await waitUntilGrantApplied(ledger, name, WELCOME_GRANT, requestedAtMs, polling));
      const { isChanged, ...shown } = answer;
      if (isChanged) logger.info({ tenant: name, amount: grant?.audioSeconds ?? 0 }, 'application approved');
      response.json({ ...shown, applied: shown.applied && hasCredit });
    })
    .all(methodNotAllowed('POST'));

  router
    .route('/admin/v1/applications/:name/decline')
    .post(async (request, response) => {
      const { name } = request.params;
      const { isChanged, ...shown } = await change(name, decline);
      if (isChanged) logger.info({ tenant: name }, 'application declined');
      response.json(shown);
    })
    .all(methodNotAllowed('POST'));

  router
    .route('/admin/v1/tenants/:name/link')
    .post(async (request, response) => {
      const { name } = request.params;
      const found = await store.get('Tenant', name);
      if (found === undefined) throw new ConsoleError('tenant_not_found');
      // The token is generated outside of the update, because a store may run the update several times.
      const expiresAtMs = now() + settings.LINK_DAYS * DAY_MS;
      const { token } = createLink(found.resource, peppers, expiresAtMs);
      await change(name, (tenant) => withLink(tenant, token, peppers, expiresAtMs));
      logger.info({ tenant: name }, 'private link replaced');
      const expiresAt = new Date(expiresAtMs).toISOString();
      const view: LinkView = { object: 'link', tenant: name, token, path: `/#${token}`, expires_at: expiresAt };
      response.status(201).json(view);
    })
    .all(methodNotAllowed('POST'));

  router
    .route('/admin/v1/tenants/:name/sign-in')
    .post(async (request, response) => {
      const { name } = request.params;
      const found = await store.get('Tenant', name);
      if (found === undefined) throw new ConsoleError('tenant_not_found');
      // A session ends with the link of its tenant, so a code would start none.
      if (isLinkExpired(found.resource, now())) throw new ConsoleError('link_expired');
      const { token, expiresAtMs } = codes.create(found.resource, now());
      logger.info({ tenant: name }, 'sign-in code created');
      const expiresAt = new Date(expiresAtMs).toISOString();
      const view: LinkView = { object: 'link', tenant: name, token, path: `/#${token}`, expires_at: expiresAt };
      response.status(201).json(view);
    })
    .all(methodNotAllowed('POST'));
}
