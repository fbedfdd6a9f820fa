import type { Ledger } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import type { GatewayMetrics } from './metrics.ts';
import { repeat, logUnexpected } from './repeat.ts';

/**
 * Ends overdue sessions, and the streams of gateways whose lease has expired. Every gateway runs a reaper. The ledger
 * assigns each tenant and each gateway without a lease to only one reaper at a time.
 */
export function startReaper(ledger: Ledger, logger: Logger, metrics: GatewayMetrics, intervalMs: number): () => void {
  return repeat(
    logger,
    () => intervalMs,
    async () => {
      const log = (error: unknown) => logUnexpected(logger, error);
      const overdue = await ledger.reap(log);
      const ended = overdue + (await ledger.gateways.reapDead(log));
      if (ended === 0) return;
      metrics.reaped.add(ended);
      logger.info({ amount: ended }, 'overdue sessions were ended');
    },
  );
}
