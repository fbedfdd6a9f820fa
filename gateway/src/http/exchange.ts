import { randomUUID } from 'node:crypto';
import type { RequestHandler, Response } from 'express';
import type { KeyRecord, RateState, SessionOrigin } from '@svc-asr/ledger';
import { parseTraceparent } from '@svc-asr/runtime';
import type { CreateTrace } from '../telemetry/create-trace.ts';

/** Scopes and models that an API key is limited to. If a list is missing, everything is allowed. */
export type KeyLimits = Pick<KeyRecord, 'scopes' | 'models'>;

/** State of one request and its response. */
export interface Exchange {
  readonly requestId: string;
  readonly startedAtMs: number;
  /**
   * Time since which the caller has been waiting for the gateway. The time in which the caller sent the body does not
   * count.
   */
  waitingSinceMs: number;
  /** Name of the route for logs and metrics. It is never the raw path. */
  route: string;
  /** Trace id from the caller's `traceparent`. Undefined if the header is missing or invalid. */
  readonly traceId: string | undefined;
  /** Trace of a request that returns a session to its caller. Undefined for other requests, and if tracing is off. */
  trace?: CreateTrace;
  /** States of the rate limits against which the request counted. */
  rates?: Readonly<Record<string, RateState>>;
  tenant?: string;
  keyId?: string;
  /** Limits of the API key with which the request was authenticated. */
  keyLimits?: KeyLimits;
  /** Name of the model in the request. Possibly, no such model exists. */
  model?: string;
  /** Code of the error response. */
  code?: string;
  /** Message of the error response. */
  message?: string;
}

export function exchangeOf(response: Response): Exchange {
  return response.locals.exchange as Exchange;
}

/** Returns the origin that the ledger stores with a session that the request creates. */
export function originOf({ keyId, requestId }: Exchange): SessionOrigin {
  return { keyId: keyId ?? null, requestId };
}

/**
 * Creates the exchange of a request. The request id is generated here and sent as X-Request-Id. An X-Request-Id of the
 * caller is not trusted.
 */
export const openExchange: RequestHandler = (request, response, next) => {
  const exchange: Exchange = {
    requestId: randomUUID(),
    startedAtMs: performance.now(),
    waitingSinceMs: performance.now(),
    traceId: parseTraceparent(request.headers.traceparent)?.traceId,
    route: 'none',
  };
  response.locals.exchange = exchange;
  next();
};

/** Builds the rate limit headers of draft-ietf-httpapi-ratelimit-headers. */
export function rateHeaders(rates: Readonly<Record<string, RateState>>): Record<string, string> {
  let [policy, state] = ['', ''];
  for (const [name, { limit, remaining, resetS }] of Object.entries(rates)) {
    const comma = policy === '' ? '' : ', ';
    policy += `${comma}"${name}";q=${limit};w=60`;
    state += `${comma}"${name}";r=${remaining};t=${resetS}`;
  }
  return { 'RateLimit-Policy': policy, RateLimit: state };
}
