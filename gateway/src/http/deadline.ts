import type { Response } from 'express';
import { LedgerUnavailable } from '@svc-asr/ledger';
import { exchangeOf } from './exchange.ts';

/**
 * Throws if the deadline of a request has passed. Call it before each command to Redis, so that a late request sends no
 * further commands.
 */
export type CheckDeadline = (response: Response) => void;

/**
 * Creates the check of the deadline. Together with the timeout of Redis commands, this check limits how long a caller
 * waits for a 503 while Redis is slow or unavailable.
 */
export function createDeadlineCheck(deadlineMs: number): CheckDeadline {
  return (response) => {
    if (performance.now() - exchangeOf(response).waitingSinceMs > deadlineMs) {
      throw new LedgerUnavailable('the deadline of the request has passed');
    }
  };
}
