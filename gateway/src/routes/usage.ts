import type { RequestHandler } from 'express';
import { ApiError } from '@svc-asr/core';
import type { CreditBalance, UsageSession } from '@svc-asr/core';
import type { Ledger, SessionRecord } from '@svc-asr/ledger';
import { exchangeOf } from '../http/exchange.ts';
import { NOT_STORED, sendJson } from '../http/send-json.ts';
import type { CheckDeadline } from '../http/deadline.ts';

/** Handles GET /v1/usage. Returns the balance and the recent sessions of the account. */
export function usageRoute(ledger: Ledger, checkDeadline: CheckDeadline): RequestHandler {
  return async (_request, response) => {
    checkDeadline(response);
    const usage = await ledger.accounts.usage(exchangeOf(response).tenant ?? '');
    // The account was deleted after this request had been admitted.
    if (usage === undefined) throw new ApiError('account_inactive');
    const { availableMs, reservedMs, consumedMs } = usage.balance;
    const { budget } = usage;
    const body: CreditBalance = {
      object: 'credit_balance',
      unit: 'audio_millisecond',
      available_ms: availableMs,
      reserved_ms: reservedMs,
      consumed_ms: consumedMs,
      ...(budget !== undefined && {
        budget: {
          monthly_ms: budget.monthlyMs,
          remaining_ms: budget.remainingMs,
          renews_at: new Date(budget.renewsAtMs).toISOString(),
        },
      }),
      recent_sessions: usage.recent.map(usageSession),
    };
    sendJson(response, 200, JSON.stringify(body), NOT_STORED);
  };
}

/** Converts a session to the format of the API. */
export function usageSession(session: SessionRecord): UsageSession {
  return {
    id: session.id,
    model: session.model,
    status: session.state,
    audio_ms: session.audioMs,
    billable_ms: session.billableMs,
    created_at: new Date(session.createdAtMs).toISOString(),
    completed_at: session.completedAtMs === null ? null : new Date(session.completedAtMs).toISOString(),
  };
}
