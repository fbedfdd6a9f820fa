import { hash } from 'node:crypto';
import type { RequestHandler } from 'express';
import { ApiError, AUDIO, checker, CreateSessionRequest, describeProblems, IDEMPOTENCY_KEY } from '@svc-asr/core';
import { quoteValues, STREAM_SUBPROTOCOL, streamPath } from '@svc-asr/core';
import type { AsrSession } from '@svc-asr/core';
import type { Tracing } from '@svc-asr/runtime';
import { requireModel } from '../auth/scopes.ts';
import type { CatalogueView } from '../catalogue.ts';
import { exchangeOf, originOf } from '../http/exchange.ts';
import type { Exchange } from '../http/exchange.ts';
import { NOT_STORED, sendJson } from '../http/send-json.ts';
import type { CheckDeadline } from '../http/deadline.ts';
import type { GatewayMetrics } from '../metrics.ts';
import { createSession } from '../sessions/create.ts';
import type { CreatedSession, CreateOptions } from '../sessions/create.ts';
import { CreateTrace } from '../telemetry/create-trace.ts';

export interface CreateSessionRoute extends CreateOptions {
  catalogue: CatalogueView;
  publicUrl: string;
  checkDeadline: CheckDeadline;
  metrics: GatewayMetrics;
  /** Undefined if tracing is off. */
  tracing: Tracing | undefined;
}

const checkBody = checker(CreateSessionRequest);
const DEFAULT_SECONDS = 60;

/**
 * Handles POST /v1/asr/sessions, and the requests of the console for sessions of its playground. Reserves credit and
 * returns a one-time credential.
 */
export function createSessionRoute(options: CreateSessionRoute): RequestHandler {
  const streams = options.publicUrl.replace(/^http/, 'ws');
  return async (request, response) => {
    const body = checkBody(request.body);
    if (!body.ok) {
      const message = describeProblems(quoteValues(body.problems, request.body));
      throw new ApiError('invalid_parameters', { message });
    }
    const idempotencyKey = idempotencyKeyOf(request.headers['idempotency-key']);
    const { model, max_audio_seconds: seconds = DEFAULT_SECONDS } = body.value;
    const exchange = exchangeOf(response);
    exchange.model = model;
    const modelExists = options.catalogue.has(model);
    requireModel(exchange.keyLimits, model, modelExists);
    const session = await createSession(traced(options, exchange, request.headers.traceparent), {
      tenant: exchange.tenant ?? '',
      model,
      seconds,
      idempotencyKey,
      origin: originOf(exchange),
      modelExists,
      checkDeadline: () => options.checkDeadline(response),
      onRate: (rate) => (exchange.rates = { ...exchange.rates, sessions: rate }),
    });
    options.metrics.sessionsCreated.add(1, { model });
    options.metrics.tenantUsage.countSession(exchange.tenant ?? '');
    sendJson(response, 201, JSON.stringify(answer(session, model, streams)), NOT_STORED);
  };
}

/** Returns the options with a trace that records the ledger calls, if tracing is on. */
function traced(options: CreateSessionRoute, exchange: Exchange, traceparent: unknown): CreateOptions {
  if (options.tracing === undefined) return options;
  exchange.trace = new CreateTrace(options.tracing, exchange.startedAtMs, traceparent);
  return { ...options, ledger: exchange.trace.instrument(options.ledger) };
}

function idempotencyKeyOf(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header !== 'string' || !IDEMPOTENCY_KEY.test(header)) throw new ApiError('invalid_idempotency_key');
  // Redis stores only a hash of the Idempotency-Key, because callers may put sensitive data into it.
  return hash('sha256', header, 'base64url');
}

function answer(session: CreatedSession, model: string, streams: string): AsrSession {
  return {
    id: session.sessionId,
    object: 'asr.session',
    status: 'reserved',
    model,
    websocket_url: streams + streamPath(session.sessionId),
    websocket_protocols: [STREAM_SUBPROTOCOL, session.credential],
    expires_at: new Date(session.expiresAtMs).toISOString(),
    audio: {
      encoding: AUDIO.encoding,
      sample_rate_hz: AUDIO.sampleRateHz,
      channels: AUDIO.channels,
      max_audio_seconds: session.reservedSeconds,
      context_size: [...AUDIO.defaultContext],
    },
    credits: { unit: 'audio_second', reserved: session.reservedSeconds, remaining: session.remainingSeconds },
  };
}
