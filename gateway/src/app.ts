import express from 'express';
import type { Express, RequestHandler } from 'express';
import type { RequestListener } from 'node:http';
import type { Documents } from '@svc-asr/api-docs';
import { REALTIME_PATH, sessionPath, SESSIONS_PATH, streamPath, TRANSCRIPTIONS_PATH } from '@svc-asr/core';
import type { KeyScope } from '@svc-asr/core';
import type { Ledger } from '@svc-asr/ledger';
import type { Logger, Tracing } from '@svc-asr/runtime';
import { admit } from './auth/admit.ts';
import { authenticate } from './auth/authenticate.ts';
import type { KeyCheck } from './auth/authenticate.ts';
import type { RateBlocks } from './auth/rate-blocks.ts';
import type { RefusalDelay } from './auth/refusal-delay.ts';
import { requireScope } from './auth/scopes.ts';
import type { CatalogueView } from './catalogue.ts';
import { documentsRouter } from './documents/index.ts';
import { closeConnections, refuseNewSessions } from './http/shutdown.ts';
import type { Shutdown } from './http/shutdown.ts';
import { refuseEarly } from './auth/early-refusal.ts';
import { answerErrors, notAWebSocket, notFound, onlyMethods } from './http/errors.ts';
import { exchangeOf, openExchange } from './http/exchange.ts';
import { jsonBody } from './http/json-body.ts';
import { observe } from './http/observe.ts';
import type { RefusalLog } from './http/refusal-log.ts';
import { checkHeaders } from './http/check-headers.ts';
import { createDeadlineCheck } from './http/deadline.ts';
import type { CheckDeadline } from './http/deadline.ts';
import type { LedgerWatch } from './ledger-watch.ts';
import type { GatewayMetrics } from './metrics.ts';
import { ConnectionAge } from './server/connection-age.ts';
import { transcriptionsRoute } from './openai/transcriptions.ts';
import { createSessionRoute } from './routes/create-session.ts';
import type { CreateSessionRoute } from './routes/create-session.ts';
import { listModels } from './routes/models.ts';
import { deleteSessionRoute, getSessionRoute } from './routes/session.ts';
import { usageRoute } from './routes/usage.ts';
import type { Cancellations } from './sessions/cancellations.ts';
import type { GatewaySettings } from './settings.ts';
import type { AudioCapacity } from './stream/audio-memory/audio-capacity.ts';
import type { Streams } from './stream/streams.ts';

export interface AppParts {
  settings: GatewaySettings;
  logger: Logger;
  metrics: GatewayMetrics;
  ledger: Ledger;
  catalogue: CatalogueView;
  keys: KeyCheck;
  ledgerWatch: LedgerWatch;
  rateBlocks: RateBlocks;
  refusalDelay: RefusalDelay;
  cancellations: Cancellations;
  audioCapacity: AudioCapacity;
  shutdown: Shutdown;
  refusals: RefusalLog;
  openStream: Streams['open'];
  /** Rendered API documents that the gateway serves. */
  documents: Documents;
  /** Undefined if tracing is off. */
  tracing: Tracing | undefined;
}

/** Creates the handler of the public port. It refuses some requests before the app gets them. */
export function createHandler(parts: AppParts): { handler: RequestListener; app: Express } {
  const before = createFirstHandlers(parts);
  const app = createApp(parts, before);
  return { handler: refuseEarly(app, { ...parts, before }), app };
}

/**
 * Creates the HTTP application. The handlers in `before` come first and refuse no request. Each later handler may
 * refuse a request, so the order of these handlers decides which refusal a client gets.
 */
export function createApp(parts: AppParts, before: readonly RequestHandler[] = createFirstHandlers(parts)): Express {
  const { settings, logger, ledger, catalogue, shutdown } = parts;
  const app = createExpress();
  app.set('trust proxy', settings.TRUSTED_PROXIES.length > 0 ? settings.TRUSTED_PROXIES : false);

  const checkDeadline = createDeadlineCheck(settings.REQUEST_DEADLINE_MS);
  const authenticated = authenticate(parts.keys);
  const admitted = admit(parts, checkDeadline);
  /** Returns the first handlers of every route that requires an API key. */
  const keyed = (scope: KeyScope) => [authenticated, admitted, requireScope(scope)];
  const sessions = sessionOptions(parts, checkDeadline);
  const createSession = createSessionRoute({ ...sessions, tracing: parts.tracing, publicUrl: settings.PUBLIC_URL });
  const { openStream } = parts;
  const transcribe = transcriptionsRoute({ ...sessions, openStream, shutdown, maxFiles: settings.FILES_MAX });

  app.use(...before, checkHeaders);
  // During a shutdown, new sessions are refused only after the body was read. A refusal closes the connection, and a
  // client that is still sending would not receive the response.
  const create = [...keyed('sessions:create'), jsonBody, refuseNewSessions(shutdown), createSession];
  route(app, SESSIONS_PATH, { post: create });
  route(app, sessionPath(':id'), {
    get: [...keyed('usage:read'), getSessionRoute(ledger, checkDeadline)],
    delete: [...keyed('sessions:create'), deleteSessionRoute(ledger, checkDeadline)],
  });
  route(app, TRANSCRIPTIONS_PATH, { post: [...keyed('sessions:create'), transcribe] });
  route(app, REALTIME_PATH, { get: [notAWebSocket] });
  route(app, '/v1/models', { get: [listModels(catalogue)] });
  route(app, streamPath(':id'), { get: [notAWebSocket] });
  route(app, '/v1/usage', { get: [...keyed('usage:read'), usageRoute(ledger, checkDeadline)] });
  app.use(
    named('documents'),
    documentsRouter(parts.documents, {
      publicUrl: settings.PUBLIC_URL,
      consoleUrl: settings.CONSOLE_URL,
      caFile: settings.EXAMPLE_CA_FILE,
    }),
  );
  app.use(notFound);
  app.use(answerErrors(logger));
  return app;
}

/** Creates the handlers that all requests have in common. */
function createFirstHandlers({ settings, logger, metrics, refusals, shutdown }: AppParts): RequestHandler[] {
  const age = new ConnectionAge(settings.CONNECTION_MAX_AGE_MS);
  return [openExchange, observe(logger, metrics, refusals), closeConnections(shutdown, age)];
}

/** Creates an Express app with the settings that the public and the internal API share. */
export function createExpress(): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', false);
  app.set('case sensitive routing', true);
  app.set('strict routing', true);
  app.set('query parser', false);
  return app;
}

/** Returns the options of every route that creates sessions. */
export function sessionOptions(
  parts: AppParts,
  checkDeadline: CheckDeadline,
): Omit<CreateSessionRoute, 'publicUrl' | 'tracing'> {
  const { settings } = parts;
  return {
    ledger: parts.ledger,
    catalogue: parts.catalogue,
    metrics: parts.metrics,
    checkDeadline,
    cancellations: parts.cancellations,
    audioCapacity: parts.audioCapacity,
    secrets: settings.SESSION_SECRETS,
    holdExtraMs: settings.SLOT_HOLD_EXTRA_MS,
    noCapacityRetryS: settings.NO_CAPACITY_RETRY_SECONDS,
  };
}

/** Registers a path with the handlers of its methods. Any other method is answered with 405. */
export function route(
  app: Express,
  path: string,
  handlers: Partial<Record<'get' | 'post' | 'delete', RequestHandler[]>>,
): void {
  const one = app.route(path).all(named(path));
  const { get, post, delete: remove } = handlers;
  if (get !== undefined) one.get(...get);
  if (post !== undefined) one.post(...post);
  if (remove !== undefined) one.delete(...remove);
  const allowed = [get && ['GET', 'HEAD'], post && ['POST'], remove && ['DELETE']];
  one.all(onlyMethods(...allowed.flatMap((methods) => methods ?? [])));
}

/** Sets the name that logs and metrics use for the route. */
function named(name: string): RequestHandler {
  return (_request, response, next) => {
    exchangeOf(response).route = name;
    next();
  };
}
