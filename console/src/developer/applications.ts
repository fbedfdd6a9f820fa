import type { Tenant } from '@svc-asr/core';
import { createAttemptLimiter } from '@svc-asr/runtime';
import type { Router } from 'express';
import { createJsonReader, valid } from '../http/body.ts';
import { methodNotAllowed } from '../http/error-handler.ts';
import { buildApplication } from '../applications/application.ts';
import type { Applicant } from '../applications/application.ts';
import { createLink } from '../applications/link.ts';
import { ConsoleError } from '../errors.ts';
import { createUnique } from '../resources/create-unique.ts';
import { createKeyedMutex } from '../resources/keyed-mutex.ts';
import type { ApplicationView } from '../responses.ts';
import type { DeveloperDeps } from './deps.ts';
import { checkApplication } from './schemas.ts';
import { tooMany } from './find-session.ts';
import { startSession } from './sign-in.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Serves the waitlist. An application creates a waitlisted Tenant and returns its private link, which is never shown
 * again.
 */
export function routeApplications(router: Router, { store, peppers, settings, logger, now }: DeveloperDeps): void {
  const readJson = createJsonReader(settings.CONSOLE_BODY_BYTES);
  // Applications are handled one at a time, so that two of them cannot take the last free place on the waitlist.
  const inTurn = createKeyedMutex();
  // The limit applies to every application, not only to invalid ones, because no sign-in is needed to apply.
  const applications = createAttemptLimiter(settings.APPLICATIONS_PER_HOUR, HOUR_MS);

  async function checkRoom(): Promise<void> {
    const waiting = (await store.list('Tenant')).filter(({ resource }) => resource.spec.state === 'Waitlisted');
    if (waiting.length >= settings.MAX_APPLICATIONS) throw new ConsoleError('waitlist_full');
  }

  function write(applicant: Applicant): Promise<{ token: string; resource: Tenant }> {
    return createUnique(store, 'Tenant', () => {
      const { token, tenant } = createLink(buildApplication(applicant), peppers, now() + settings.LINK_DAYS * DAY_MS);
      return { token, resource: tenant };
    });
  }

  router
    .route('/console/v1/applications')
    .post(async (request, response) => {
      const applicant = valid(checkApplication(await readJson(request, response)));
      const address = request.ip ?? '';
      const waitMs = applications.waitMs(address, now());
      if (waitMs > 0) throw tooMany(waitMs);
      // The attempt is counted before the first await, so that concurrent requests cannot pass the limit together.
      applications.fail(address, now());
      const { token, resource } = await inTurn('applications', async () => {
        await checkRoom();
        return write(applicant);
      });
      const { name } = resource.metadata;
      logger.info({ tenant: name }, 'application received');
      startSession(request, response, resource, { peppers, now });
      const view: ApplicationView = { object: 'application', tenant: name, state: 'Waitlisted', token };
      response.status(201).json(view);
    })
    .all(methodNotAllowed('POST'));
}
