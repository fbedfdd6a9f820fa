import type { Express, RequestHandler } from 'express';
import { ApiError, isObject } from '@svc-asr/core';
import { isSignedInternally, PLAYGROUND_SESSIONS_PATH } from '@svc-asr/runtime';
import type { Keyring } from '@svc-asr/runtime';
import { createExpress, route, sessionOptions } from '../app.ts';
import type { AppParts } from '../app.ts';
import { admit } from '../auth/admit.ts';
import { RefusalDelay } from '../auth/refusal-delay.ts';
import { createDeadlineCheck } from '../http/deadline.ts';
import { answerErrors, notFound } from '../http/errors.ts';
import { exchangeOf, openExchange } from '../http/exchange.ts';
import { readJson } from '../http/json-body.ts';
import { observe } from '../http/observe.ts';
import { refuseNewSessions } from '../http/shutdown.ts';
import { createSessionRoute } from '../routes/create-session.ts';

const UNSIGNED = 'The request has no signature of the console, or its signature is wrong or older than 30 seconds.';

/**
 * Creates the app of the internal port. The console creates sessions for its playground here, without an API key. After
 * the check of its signature, a request is checked and answered like a request to POST /v1/asr/sessions.
 */
export function createInternalApp(parts: AppParts): Express {
  const { settings, logger, metrics, shutdown } = parts;
  const checkDeadline = createDeadlineCheck(settings.REQUEST_DEADLINE_MS);
  const app = createExpress();
  app.use(openExchange, observe(logger, metrics, parts.refusals));
  const createSession = createSessionRoute({
    ...sessionOptions(parts, checkDeadline),
    tracing: parts.tracing,
    publicUrl: settings.PUBLIC_URL,
  });
  const verified = verifySignature(settings.API_KEY_PEPPERS);
  // Refusals are not delayed here. A delayed refusal would occupy one of the few connections that all consoles share.
  const admitted = admit({ ...parts, refusalDelay: new RefusalDelay(0) }, checkDeadline);
  route(app, PLAYGROUND_SESSIONS_PATH, { post: [verified, admitted, refuseNewSessions(shutdown), createSession] });
  app.use(notFound);
  app.use(answerErrors(logger));
  return app;
}

/**
 * Reads the body, and refuses the request with 401 unless the console has signed it. The field `tenant` of the body
 * then replaces the API key. If an attacker sends a copy of a request, the response has the same session, because the
 * signature covers the Idempotency-Key.
 */
function verifySignature(peppers: Keyring): RequestHandler {
  return async (request, response, next) => {
    const { value, bytes } = await readJson(request, response);
    const { authorization, 'idempotency-key': idempotencyKey = '' } = request.headers;
    const signed = { method: request.method, path: request.path, idempotencyKey: String(idempotencyKey), body: bytes };
    // An empty Idempotency-Key is refused. A copy of such a request would create another session.
    if (idempotencyKey === '' || !isSignedInternally(authorization, signed, peppers, Date.now())) {
      throw new ApiError('invalid_api_key', { message: UNSIGNED });
    }
    if (!isObject(value) || typeof value.tenant !== 'string' || value.tenant === '') {
      throw new ApiError('invalid_parameters', { message: 'tenant: must be the name of a tenant' });
    }
    const { tenant, ...body } = value;
    request.body = body;
    Object.assign(exchangeOf(response), { tenant, keyLimits: {} });
    next();
  };
}
