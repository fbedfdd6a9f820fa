import type { RequestHandler } from 'express';
import { ApiError } from '@svc-asr/core';
import type { AccountState, Admission, Ledger } from '@svc-asr/ledger';
import { exchangeOf } from '../http/exchange.ts';
import type { LedgerWatch } from '../ledger-watch.ts';
import type { CheckDeadline } from '../http/deadline.ts';
import { refusalAfter } from './rate-blocks.ts';
import type { RateBlocks } from './rate-blocks.ts';
import type { RefusalDelay, WaitingResponse } from './refusal-delay.ts';

const INACTIVE_MESSAGES: Readonly<Record<Exclude<AccountState, 'Active'>, string>> = {
  Waitlisted: 'The account is waiting for approval.',
  Suspended: 'The account is suspended. Ask the administrator of the service.',
  Declined: 'The application for this account was declined.',
  Deleted: 'The account was closed.',
};

/** Dependencies of the check of accounts and request rates. All routes of a gateway share them. */
export interface AdmitParts {
  ledger: Pick<Ledger, 'admit'>;
  ledgerWatch: Pick<LedgerWatch, 'require' | 'verify'>;
  rateBlocks: RateBlocks;
  refusalDelay: RefusalDelay;
}

/**
 * Counts a request of a tenant and returns the state of the tenant's request rate limit. Throws 403 if the account is
 * not active. If the tenant ignores `Retry-After`, the result may be delayed. The delay ends early if the client of
 * `response` disconnects.
 */
export async function admitTenant(parts: AdmitParts, tenant: string, response?: WaitingResponse): Promise<Admission> {
  const { ledger, ledgerWatch, rateBlocks, refusalDelay } = parts;
  ledgerWatch.require();
  const sinceMs = performance.now();
  const blocked = rateBlocks.find(tenant, sinceMs);
  if (blocked !== undefined) {
    await refusalDelay.wait(response);
    return refusalAfter(blocked, performance.now() - sinceMs);
  }
  const admission = await ledger.admit(tenant);
  rateBlocks.add(tenant, admission, sinceMs);
  const { state } = admission;
  if (state === undefined) await ledgerWatch.verify();
  if (state !== 'Active') {
    throw new ApiError('account_inactive', state === undefined ? {} : { message: INACTIVE_MESSAGES[state] });
  }
  return admission;
}

/** Throws 429 if an admitted request exceeds the request rate. */
export function requireRate({ allowed, retryAfterMs }: Admission): void {
  if (!allowed) throw new ApiError('rate_limit_exceeded', { retryAfterS: retryAfterMs / 1000 });
}

/**
 * Counts a request. Refuses the request with 403 if the account is not active, and otherwise with 429 if the request
 * rate is exceeded.
 */
export function admit(parts: AdmitParts, checkDeadline: CheckDeadline): RequestHandler {
  return async (_request, response, next) => {
    const exchange = exchangeOf(response);
    checkDeadline(response);
    const admission = await admitTenant(parts, exchange.tenant ?? '', response);
    exchange.rates = { requests: admission.rate };
    requireRate(admission);
    next();
  };
}
