import type { Tenant } from '@svc-asr/core';
import { createAttemptLimiter } from '@svc-asr/runtime';
import type { Router } from 'express';
import { createJsonReader, valid } from '../http/body.ts';
import { methodNotAllowed } from '../http/error-handler.ts';
import { buildApplication } from '../applications/application.ts';
import type { Applicant } from '../applications/application.ts';
import { createLink } from '../applications/link.ts';
import { ConsoleError } from '../errors.ts';
import { createMember } from '../identity/member.ts';
import type { SignedInUser } from '../identity/user-sessions.ts';
import { createUnique } from '../resources/create-unique.ts';
import { createKeyedMutex } from '../resources/keyed-mutex.ts';
import type { ApplicationView } from '../responses.ts';
import type { DeveloperDeps } from './deps.ts';
import { checkApplication } from './schemas.ts';
import { tooMany } from './find-session.ts';
import type { SessionFinder } from './find-session.ts';
import { startSession } from './sign-in.ts';
import { writeUserSession } from './user-session.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Serves the waitlist. An application creates a waitlisted Tenant. A signed-in user becomes its owner. Without a user,
 * the response contains the private link of the tenant, which is never shown again.
 */
export function routeApplications(router: Router, deps: DeveloperDeps, finder: SessionFinder): void {
  const { store, peppers, settings, logger, now } = deps;
  const readJson = createJsonReader(settings.CONSOLE_BODY_BYTES);
  // This process handles applications one at a time, so that two of them cannot take the last free place on the
  // waitlist.
  const inTurn = createKeyedMutex();
  // The limit counts every valid application, because no sign-in is needed to apply.
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

  /** Creates the tenant of a signed-in user, who becomes its owner and needs no link. */
  async function writeFor(user: SignedInUser, applicant: Applicant): Promise<{ token: null; resource: Tenant }> {
    const { resource } = await createUnique(store, 'Tenant', () => ({ resource: buildApplication(applicant) }));
    const { name } = resource.metadata;
    try {
      await createMember(store, name, 'owner', user);
    } catch (error) {
      // Without an owner, no one could use the tenant.
      await store.delete('Tenant', name);
      throw error;
    }
    return { token: null, resource };
  }

  router
    .route('/console/v1/applications')
    .post(async (request, response) => {
      const applicant = valid(checkApplication(await readJson(request, response)));
      const address = request.ip ?? '';
      const waitMs = applications.waitMs(address, now());
      if (waitMs > 0) throw tooMany(waitMs);
      // There is no await between the check and the count, so that concurrent requests cannot pass the limit together.
      applications.fail(address, now());
      const user = await finder.findUser(request);
      const { token, resource } = await inTurn('applications', async () => {
        await checkRoom();
        return user === undefined ? write(applicant) : writeFor(user, applicant);
      });
      const { name } = resource.metadata;
      logger.info({ tenant: name }, 'application received');
      if (user === undefined) startSession(request, response, resource, { peppers, now });
      else writeUserSession(request, response, user, name, now());
      const view: ApplicationView = { object: 'application', tenant: name, state: 'Waitlisted', token };
      response.status(201).json(view);
    })
    .all(methodNotAllowed('POST'));
}
