import type { Response } from 'express';
import { LedgerUnavailable } from '@svc-asr/ledger';
import { exchangeOf } from './exchange.ts';

/** Throws when a request is too old to ask Redis for one more thing. */
export type CheckDeadline = (response: Response) => void;

/** Together with the limit on one command this bounds how long a caller waits for a 503. */
export function createDeadlineCheck(deadlineMs: number): CheckDeadline {
  return (response) => {
    if (performance.now() - exchangeOf(response).waitingSinceMs > deadlineMs) {
      throw new LedgerUnavailable('Redis is too slow for this request');
    }
  };
}
