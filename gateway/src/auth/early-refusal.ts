import type { IncomingMessage, RequestListener } from 'node:http';
import type { RequestHandler, Response } from 'express';
import { ApiError, SESSIONS_PATH } from '@svc-asr/core';
import type { Admission } from '@svc-asr/ledger';
import type { KeyCheck, VerifiedKey } from './authenticate.ts';
import { refusalAfter } from './rate-blocks.ts';
import type { RateBlocks } from './rate-blocks.ts';
import type { RefusalDelay } from './refusal-delay.ts';
import type { LedgerWatch } from '../ledger-watch.ts';
import { exchangeOf } from '../http/exchange.ts';
import { NOT_STORED, sendJson } from '../http/send-json.ts';

export interface EarlyRefusalParts {
  keys: Pick<KeyCheck, 'cached'>;
  rateBlocks: RateBlocks;
  refusalDelay: RefusalDelay;
  ledgerWatch: Pick<LedgerWatch, 'isAvailable'>;
  /** Handlers that come before the routes of the app. They must be synchronous. */
  before: readonly RequestHandler[];
}

const REFUSAL = new ApiError('rate_limit_exceeded');

/**
 * Refuses session requests of tenants that ignore `Retry-After`, before Express gets the requests. The app would send
 * the same 429, but would need more than twice the processor time of this function. All tenants share this process, so
 * a tenant that sends many such requests would slow down the other tenants. Passes every other request to the app.
 */
export function refuseEarly(app: RequestListener, parts: EarlyRefusalParts): RequestListener {
  return (request, response) => {
    const found = findBlocked(request, parts);
    if (found === undefined) app(request, response);
    else void refuse(response as Response, found, parts);
  };
}

interface Blocked {
  key: VerifiedKey;
  admission: Admission;
}

function findBlocked(
  request: IncomingMessage,
  { keys, rateBlocks, ledgerWatch }: EarlyRefusalParts,
): Blocked | undefined {
  const { host, expect, authorization } = request.headers;
  if (request.method !== 'POST' || request.url !== SESSIONS_PATH || rateBlocks.isEmpty) return undefined;
  // A request that meets one of these conditions goes to the app, which may answer with 400 (see `checkHeaders`) or 503
  // instead of 429.
  if (host === undefined || expect !== undefined || !ledgerWatch.isAvailable()) return undefined;
  const key = keys.cached(authorization);
  const admission = key === undefined ? undefined : rateBlocks.find(key.tenant, performance.now());
  return key === undefined || admission === undefined ? undefined : { key, admission };
}

async function refuse(
  response: Response,
  { key, admission }: Blocked,
  { before, refusalDelay }: EarlyRefusalParts,
): Promise<void> {
  response.locals = {};
  for (const handle of before) void handle(response.req, response, () => undefined);
  const exchange = exchangeOf(response);
  const { code, message, status } = REFUSAL;
  // The refusal is recorded even if the client disconnects during the delay.
  Object.assign(exchange, key, { route: SESSIONS_PATH, code, message });
  const sinceMs = performance.now();
  await refusalDelay.wait(response);
  if (response.destroyed) return;
  const { rate, retryAfterMs } = refusalAfter(admission, performance.now() - sinceMs);
  exchange.rates = { requests: rate };
  const text = JSON.stringify(REFUSAL.body(exchange.requestId));
  const retryAfterS = Math.ceil(retryAfterMs / 1000);
  sendJson(response, status, text, { 'Retry-After': String(retryAfterS), ...NOT_STORED });
}
