import type { Response } from 'express';
import { LedgerUnavailable } from '@svc-asr/ledger';
import { exchangeOf } from './exchange.ts';

/** Throws if a request is so old that it may send no further command to Redis. */
export type CheckDeadline = (response: Response) => void;

/**
 * Creates the check. Together with the timeout of a Redis command, it limits how long a caller waits for a 503 while
 * Redis is slow or unavailable.
 */
export function createDeadlineCheck(deadlineMs: number): CheckDeadline {
  return (response) => {
    if (performance.now() - exchangeOf(response).waitingSinceMs > deadlineMs) {
      throw new LedgerUnavailable('the deadline of the request has passed');
    }
  };
}
