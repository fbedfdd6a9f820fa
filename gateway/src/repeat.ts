import { LedgerUnavailable } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';

/**
 * Runs `work` now, and again an interval after each run has ended. Errors are logged and do not stop the loop. Errors
 * of an unavailable Redis are not logged here, because the connection to Redis already logs the outage once. Returns a
 * function that stops the loop.
 */
export function repeat(logger: Logger, intervalMs: () => number, work: () => Promise<void>): () => void {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const runOnce = async () => {
    try {
      await work();
    } catch (error) {
      logUnexpected(logger, error);
    }
    if (!stopped) timer = setTimeout(() => void runOnce(), intervalMs());
  };
  void runOnce();
  return () => {
    stopped = true;
    clearTimeout(timer);
  };
}

/** Logs an error, unless it was caused by an unavailable Redis. */
export function logUnexpected(logger: Logger, error: unknown): void {
  if (!(error instanceof LedgerUnavailable)) logger.error({ err: error }, 'background work failed');
}
