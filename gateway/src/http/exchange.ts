import { randomUUID } from 'node:crypto';
import type { RequestHandler, Response } from 'express';
import type { RateState } from '@svc-asr/ledger';
import { parseTraceparent } from '@svc-asr/runtime';
import type { CreateTrace } from '../telemetry/create-trace.ts';

/** What is known of one request while it passes through the chain. */
export interface Exchange {
  readonly requestId: string;
  readonly startedAtMs: number;
  /** Since when the caller waits for us: the time that it took to send its body is its own. */
  waitingSinceMs: number;
  /** The route that took the request, for logs and metrics; never the raw path. */
  route: string;
  /** The trace that the caller named. */
  readonly traceId: string | undefined;
  /** Where a session is made and traces are wanted. */
  trace?: CreateTrace;
  /** How the rate limits stand that the request counted against. */
  rates?: Readonly<Record<string, RateState>>;
  tenant?: string;
  keyId?: string;
  /** Code of the error that was answered. */
  code?: string;
}

/** The exchange of a response. */
export function exchangeOf(response: Response): Exchange {
  return response.locals.exchange as Exchange;
}

/** Opens the exchange. Its id, which whoever answers sends as X-Request-Id, is made here; one that comes in is not trusted. */
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

/** Headers that tell how rate limits stand, in the form of draft-ietf-httpapi-ratelimit-headers. */
export function rateHeaders(rates: Readonly<Record<string, RateState>>): Record<string, string> {
  let [policy, state] = ['', ''];
  for (const [name, { limit, remaining, resetS }] of Object.entries(rates)) {
    const comma = policy === '' ? '' : ', ';
    policy += `${comma}"${name}";q=${limit};w=60`;
    state += `${comma}"${name}";r=${remaining};t=${resetS}`;
  }
  return { 'RateLimit-Policy': policy, RateLimit: state };
}
