import type { Response } from 'express';
import { LedgerUnavailable } from '@svc-asr/ledger';
import { exchangeOf } from './exchange.ts';

/** Throws if a request has taken too long to send another command to Redis. */
export type CheckDeadline = (response: Response) => void;

/** Creates the check. Together with the timeout of a Redis command, it limits how long a caller waits for a 503. */
export function createDeadlineCheck(deadlineMs: number): CheckDeadline {
  return (response) => {
    if (performance.now() - exchangeOf(response).waitingSinceMs > deadlineMs) {
      throw new LedgerUnavailable('the deadline of the request has passed');
    }
  };
}
