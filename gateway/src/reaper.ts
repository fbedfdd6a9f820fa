import type { Ledger } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import type { GatewayMetrics } from './metrics.ts';
import { repeat, tellUnexpected } from './repeat.ts';

/** Returns overdue reservations without any request arriving; every gateway does so, each mark is taken by one. */
export function startReaper(ledger: Ledger, logger: Logger, metrics: GatewayMetrics, intervalMs: number): () => void {
  return repeat(
    logger,
    () => intervalMs,
    async () => {
      const ended = await ledger.reap((error) => tellUnexpected(logger, error));
      if (ended === 0) return;
      metrics.reaped.add(ended);
      logger.info({ amount: ended }, 'overdue sessions were ended');
    },
  );
}
