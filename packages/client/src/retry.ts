import { SvcAsrError, SvcAsrUnreachable } from './error.ts';

export interface RetryPolicy {
  /** Maximum number of retries. 0 means none. */
  maxRetries: number;
  /** Longest wait before a retry. If a longer wait is necessary, the error is thrown at once. */
  maxWaitMs: number;
}

const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 8000;

/**
 * Returns the time to wait before the next attempt. Undefined if the request must not be retried. `failures` is the
 * number of failed attempts, and `random` is in [0, 1).
 */
export function retryWaitMs(
  error: unknown,
  failures: number,
  { maxRetries, maxWaitMs }: RetryPolicy,
  random: number,
): number | undefined {
  if (failures > maxRetries || !mayPass(error)) return undefined;
  const backoffMs = Math.min(FIRST_BACKOFF_MS * 2 ** (failures - 1), LONGEST_BACKOFF_MS);
  // The wait is at least the Retry-After of the service. The random part spreads the retries of many clients.
  const askedMs = error instanceof SvcAsrError ? (error.retryAfterS ?? 0) * 1000 : 0;
  const waitMs = Math.round(Math.max(askedMs, backoffMs / 2) + (backoffMs / 2) * random);
  return waitMs <= maxWaitMs ? waitMs : undefined;
}

/**
 * Returns whether a retry may succeed soon. After concurrency_limit_exceeded (429) it cannot, because another session
 * of the account must end first.
 */
function mayPass(error: unknown): boolean {
  if (error instanceof SvcAsrUnreachable) return true;
  if (!(error instanceof SvcAsrError)) return false;
  if (error.status === 429) return error.code === 'rate_limit_exceeded';
  return [502, 503, 504].includes(error.status);
}

/** Waits for a time. Rejects with the reason of the signal as soon as the signal is aborted. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    if (signal?.aborted === true) onAbort();
    else signal?.addEventListener('abort', onAbort, { once: true });
  });
}
