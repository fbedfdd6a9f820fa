import { LedgerUnavailable } from '@svc-asr/ledger';

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1000;
/**
 * First delay after Redis has rejected a request. It is longer than FIRST_WAIT_MS, because only an administrator can
 * remove the cause.
 */
const FIRST_REJECTED_WAIT_MS = 1000;
const LONGEST_REJECTED_WAIT_MS = 60_000;

/**
 * Repeats a request with growing delays while Redis is unavailable. Throws every other error, because a retry would not
 * help.
 */
export async function retryUntilAnswered<T>(request: () => Promise<T>): Promise<T> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof LedgerUnavailable)) throw error;
      await pause(waitMs);
    }
  }
}

/**
 * Repeats a request until it succeeds, even after Redis has rejected it. Each rejection is reported to `onRejected` and
 * followed by a longer delay.
 */
export async function retryUntilDone<T>(request: () => Promise<T>, onRejected: (error: unknown) => void): Promise<T> {
  for (let waitMs = FIRST_REJECTED_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_REJECTED_WAIT_MS)) {
    try {
      return await retryUntilAnswered(request);
    } catch (error) {
      onRejected(error);
      await pause(waitMs);
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
