import { createAttemptLimiter } from '@svc-asr/runtime';
import type { Request, Response, Router } from 'express';
import type { Act, Audited } from '../audit/act.ts';
import { ConsoleError } from '../errors.ts';
import { createJsonReader, valid } from '../http/body.ts';
import { methodNotAllowed } from '../http/error-handler.ts';
import { withCreditRequest } from '../tenants/credit-request.ts';
import type { DeveloperDeps } from './deps.ts';
import { tooMany } from './find-session.ts';
import type { SignedIn } from './find-session.ts';
import { checkCreditRequest } from './schemas.ts';

const HOUR_MS = 3_600_000;
/** Maximum number of requests for credit of a tenant per hour. A request for credit writes the Tenant. */
const REQUESTS_PER_HOUR = 10;

/** Lets a signed-in developer ask for more credit. */
export function routeCreditRequests(router: Router, deps: DeveloperDeps, signedIn: SignedIn, audited: Audited): void {
  const { store, settings, logger, now } = deps;
  const readJson = createJsonReader(settings.CONSOLE_BODY_BYTES);
  const requests = createAttemptLimiter(REQUESTS_PER_HOUR, HOUR_MS);

  async function ask(request: Request, response: Response, act: Act): Promise<void> {
    const { message, audio_seconds: audioSeconds = null } = valid(
      checkCreditRequest(await readJson(request, response)),
    );
    const { metadata, spec } = await signedIn(request);
    if (spec.state !== 'Active') throw new ConsoleError('not_approved', { message: 'The tenant is not active.' });
    const { name } = metadata;
    act.tenant = name;
    act.detail = { audio_seconds: audioSeconds };
    const waitMs = requests.waitMs(name, now());
    if (waitMs > 0) throw tooMany(waitMs);
    requests.fail(name, now());
    const asked = { at: new Date(now()).toISOString(), message, audio_seconds: audioSeconds };
    await store.update('Tenant', name, (current) => {
      if (current === undefined) throw new ConsoleError('not_signed_in');
      return withCreditRequest(current, asked);
    });
    logger.info({ tenant: name, ...(audioSeconds !== null && { amount: audioSeconds }) }, 'credit requested');
    response.status(201).json({ object: 'credit_request', ...asked });
  }

  router.route('/console/v1/credit-requests').post(audited('credit.request', ask)).all(methodNotAllowed('POST'));
}
