import type { Ledger } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import type { GatewayMetrics } from '../../metrics.ts';
import { repeat } from '../../repeat.ts';
import type { Claims } from './claims.ts';
import type { Lease } from './lease.ts';

/**
 * Compares, at intervals, the streams that the ledger records for this gateway with the streams that the gateway
 * serves. Adds missing records. Fails recorded sessions that the gateway does not serve, without a charge. Returns a
 * function that stops the comparison.
 */
export function startReconciling(
  { ledger, logger, metrics, claims }: { ledger: Ledger; logger: Logger; metrics: GatewayMetrics; claims: Claims },
  lease: Pick<Lease, 'owner'>,
  intervalMs: number,
): () => void {
  return repeat(
    logger,
    () => intervalMs,
    async () => {
      const owner = lease.owner();
      if (owner === undefined) return;
      const failed = await ledger.gateways.reconcile(owner, claims.heldBy(owner));
      if (failed === 0) return;
      metrics.reaped.add(failed);
      logger.warn({ amount: failed }, 'sessions that this gateway does not serve were failed');
    },
  );
}
