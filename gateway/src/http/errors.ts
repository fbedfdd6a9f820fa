import type { ErrorRequestHandler, RequestHandler } from 'express';
import { ApiError } from '@svc-asr/core';
import { LedgerUnavailable } from '@svc-asr/ledger';
import { redact } from '@svc-asr/runtime';
import type { Logger } from '@svc-asr/runtime';
import { exchangeOf } from './exchange.ts';
import { NOT_STORED, sendJson } from './send-json.ts';

/** What is at no path is answered like any other error. */
export const notFound: RequestHandler = () => {
  throw new ApiError('not_found');
};

/** A stream can only be opened by a WebSocket handshake, which does not come this way. */
export const notAWebSocket: RequestHandler = () => {
  throw new ApiError('invalid_parameters', { message: 'This is not a WebSocket handshake (RFC 6455, version 13).' });
};

/** A handler for methods that a path does not take. */
export function onlyMethods(...allowed: string[]): RequestHandler {
  return () => {
    throw new ApiError('method_not_allowed', { headers: { Allow: allowed.join(', ') } });
  };
}

/** The one place that writes error answers. */
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
    const retry = answer.retryAfterS === undefined ? {} : { 'Retry-After': String(answer.retryAfterS) };
    // A message may name a field of the request; whoever sends a secret as a name does not get it back.
    const text = redact(JSON.stringify(answer.body(exchange.requestId)));
    sendJson(response, answer.status, text, { ...answer.headers, ...retry, ...NOT_STORED });
  };
}

/** Errors that have a meaning for the caller; undefined: a fault of ours. */
function apiError(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error;
  if (error instanceof LedgerUnavailable) return new ApiError('service_unavailable', { cause: error });
  // Express throws URIError for a path like /%zz.
  if (error instanceof URIError) return new ApiError('not_found');
  return undefined;
}
