import type { Request, RequestHandler } from 'express';
import { ApiError } from '@svc-asr/core';
import type { SessionDetail } from '@svc-asr/core';
import type { Ledger } from '@svc-asr/ledger';
import { exchangeOf } from '../http/exchange.ts';
import type { CheckDeadline } from '../http/deadline.ts';
import { NOT_STORED, sendJson, sendNothing } from '../http/send-json.ts';
import { SESSION_ID } from '../sessions/session-id.ts';
import { usageSession } from './usage.ts';

const WHOLE_ID = new RegExp(`^${SESSION_ID}$`);

/** Handles GET /v1/asr/sessions/{id}. Returns a session of the account. */
export function getSessionRoute(ledger: Ledger, checkDeadline: CheckDeadline): RequestHandler {
  return async (request, response) => {
    const sessionId = sessionIdOf(request);
    checkDeadline(response);
    const session = await ledger.sessionAccess.get(exchangeOf(response).tenant ?? '', sessionId);
    if (session === undefined) throw new ApiError('session_not_found');
    const { endReason, closeCode } = session;
    const body: SessionDetail = { ...usageSession(session), end_reason: endReason, close_code: closeCode };
    sendJson(response, 200, JSON.stringify(body), NOT_STORED);
  };
}

/** Handles DELETE /v1/asr/sessions/{id}. Cancels a session of the account. */
export function deleteSessionRoute(ledger: Ledger, checkDeadline: CheckDeadline): RequestHandler {
  return async (request, response) => {
    const sessionId = sessionIdOf(request);
    checkDeadline(response);
    const deleted = await ledger.sessionAccess.delete(exchangeOf(response).tenant ?? '', sessionId);
    if (deleted.outcome === 'unknown') throw new ApiError('session_not_found');
    // The pool releases the held slot soon even without this call, so a failure only causes a delay.
    if (deleted.outcome === 'expired') await ledger.pools.release(deleted.model, sessionId).catch(() => undefined);
    sendNothing(response);
  };
}

function sessionIdOf({ params }: Request): string {
  const { id } = params;
  if (typeof id !== 'string' || !WHOLE_ID.test(id)) throw new ApiError('session_not_found');
  return id;
}
