import type { ErrorRequestHandler, RequestHandler } from 'express';
import { ApiError } from '@svc-asr/core';
import { LedgerUnavailable } from '@svc-asr/ledger';
import { redact } from '@svc-asr/runtime';
import type { Logger } from '@svc-asr/runtime';
import { exchangeOf } from './exchange.ts';
import { NOT_STORED, sendJson } from './send-json.ts';

/** Responds with 404 to a path that does not exist. */
export const notFound: RequestHandler = () => {
  throw new ApiError('not_found');
};

/**
 * Responds with 400 to a plain GET on the path of a stream or of realtime connections. WebSocket handshakes arrive
 * through the `upgrade` event instead.
 */
export const notAWebSocket: RequestHandler = () => {
  throw new ApiError('invalid_parameters', { message: 'This is not a WebSocket handshake (RFC 6455, version 13).' });
};

/** Responds with 405 to methods that a path does not support. */
export function onlyMethods(...allowed: string[]): RequestHandler {
  return () => {
    throw new ApiError('method_not_allowed', { headers: { Allow: allowed.join(', ') } });
  };
}

/** Writes the error responses of all routes. Other code answers refused handshakes and invalid HTTP. */
export function answerErrors(logger: Logger): ErrorRequestHandler {
  return (error: unknown, _request, response, next) => {
    const exchange = exchangeOf(response);
    if (response.headersSent) {
      next(error);
      return;
    }
    const known = apiError(error);
    if (known === undefined) logger.error({ err: error, request_id: exchange.requestId }, 'unexpected error');
    const answer = known ?? new ApiError('service_unavailable');
    exchange.code = answer.code;
    exchange.message = answer.message;
    const retry = answer.retryAfterS === undefined ? {} : { 'Retry-After': String(answer.retryAfterS) };
    // A message may quote field names and values of the request. They may contain secrets, which are redacted.
    const text = redact(JSON.stringify(answer.body(exchange.requestId)));
    sendJson(response, answer.status, text, { ...answer.headers, ...retry, ...NOT_STORED });
  };
}

/**
 * Converts an error to the API error that the caller receives. Returns undefined if the error is a defect of the
 * gateway.
 */
function apiError(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error;
  if (error instanceof LedgerUnavailable) return new ApiError('service_unavailable', { cause: error });
  // Express throws URIError for a path such as /%zz.
  if (error instanceof URIError) return new ApiError('not_found');
  return undefined;
}
