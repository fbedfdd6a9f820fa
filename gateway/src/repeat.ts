import { LedgerUnavailable } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';

/**
 * Does something at once and then again an interval after each time it ended. A failure is the next turn's business;
 * that Redis is away is told once by the connection, anything else is told here. Returns how to stop.
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

/** Logs an error unless it only says that Redis is away. */
export function logUnexpected(logger: Logger, error: unknown): void {
  if (!(error instanceof LedgerUnavailable)) logger.error({ err: error }, 'background work failed');
}
