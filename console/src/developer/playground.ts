import { CreateSessionRequest, validator } from '@svc-asr/core';
import type { Router } from 'express';
import { ConsoleError } from '../errors.ts';
import { createJsonReader, valid } from '../http/body.ts';
import { methodNotAllowed } from '../http/error-handler.ts';
import type { DeveloperDeps } from './deps.ts';
import type { SignedIn } from './find-session.ts';

const checkSession = validator(CreateSessionRequest);

/** Serves the sessions of the playground. They need no API key, so that the page never has one. */
export function routePlayground(
  router: Router,
  { gateway, settings, logger }: Pick<DeveloperDeps, 'gateway' | 'settings' | 'logger'>,
  signedIn: SignedIn,
): void {
  const readJson = createJsonReader(settings.CONSOLE_BODY_BYTES);
  router
    .route('/console/v1/playground/sessions')
    .post(async (request, response) => {
      const session = valid(checkSession(await readJson(request, response)));
      const { name } = (await signedIn(request)).metadata;
      if (gateway === undefined) {
        throw new ConsoleError('not_found', { message: 'This installation has no playground.' });
      }
      const { status, retryAfter, text } = await gateway.createSession(name, session);
      if (status === 201) logger.info({ tenant: name }, 'playground session created');
      if (retryAfter !== undefined) response.set('Retry-After', retryAfter);
      // The response body of the gateway is sent unchanged. If the gateway refused the request, the body contains the
      // error code and the request id.
      response.status(status).type('application/json').send(text);
    })
    .all(methodNotAllowed('POST'));
}
