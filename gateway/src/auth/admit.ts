import type { RequestHandler, Response } from 'express';
import { ApiError } from '@svc-asr/core';
import type { AccountState, Ledger } from '@svc-asr/ledger';
import { exchangeOf, tellRates } from '../http/exchange.ts';
import type { TimeLeft } from '../http/time-left.ts';

const WHY: Readonly<Record<Exclude<AccountState, 'Active'>, string>> = {
  Waitlisted: 'The account waits for approval.',
  Suspended: 'The account is suspended. Ask the administrator of the service.',
  Declined: 'The application for this account was declined.',
  Deleted: 'The account was closed.',
};

/** Lets a request of an active account pass and counts it: account (403), then request rate (429). */
export function admit(ledger: Ledger, timeLeft: TimeLeft): RequestHandler {
  return async (_request, response, next) => {
    const { tenant = '' } = exchangeOf(response);
    timeLeft(response);
    const { state, allowed, rate, retryAfterMs } = await ledger.admit(tenant);
    if (state !== 'Active') {
      throw new ApiError('account_inactive', state === undefined ? {} : { message: WHY[state] });
    }
    response.locals.requestRate = rate;
    tellRates(response, { requests: rate });
    if (!allowed) throw new ApiError('rate_limit_exceeded', { retryAfterS: retryAfterMs / 1000 });
    next();
  };
}

/** The rate that `admit` told; routes with further limits tell them together. */
export function requestRateOf(response: Response): Parameters<typeof tellRates>[1][string] {
  return response.locals.requestRate as Parameters<typeof tellRates>[1][string];
}
