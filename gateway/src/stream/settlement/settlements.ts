import type { Ledger, OwnedStream, Owner, SettleOptions } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import type { GatewayMetrics } from '../../metrics.ts';
import { retryUntilDone } from '../../retry.ts';
import type { StreamEnd } from '../session.ts';

/** Time between two checks whether all settlements are done. */
const CHECK_INTERVAL_MS = 20;

interface OpenedStream extends OwnedStream {
  model: string;
  /** Id of the handshake request that opened the stream. */
  requestId: string;
  /** Division of the audio into several sessions. Absent if all audio belongs to one session. */
  parts?: SettleOptions['parts'] | undefined;
}

export interface Settlements {
  /** Writes the end of a stream to the ledger. Repeats the write while Redis is unavailable or rejects the write. */
  add: (stream: OpenedStream, owner: Owner, end: StreamEnd) => Promise<void>;
  /** Disconnects a session whose handshake has failed, so that the client can use the credential again. */
  rollBack: (stream: OwnedStream, connectionId: string) => Promise<void>;
  readonly pending: number;
  /**
   * Resolves when each settlement is done or was rejected by Redis. If the settlement of a session was rejected,
   * another gateway ends the session when the lease of this gateway has expired.
   */
  settled: () => Promise<void>;
}

/**
 * Creates the settlements. A completed stream is charged. A stream that failed because of the service is free of
 * charge.
 */
export function createSettlements(
  ledger: Ledger,
  logger: Logger,
  metrics: Pick<GatewayMetrics, 'billedSeconds' | 'tenantUsage'>,
): Settlements {
  const pending = new Set<{ refused: boolean }>();

  async function settle(
    { tenant, sessionId, chainId, model, requestId, parts }: OpenedStream,
    owner: Owner,
    { outcome, reason, samples, end }: StreamEnd,
  ): Promise<void> {
    const { settle: complete, fail } = ledger.sessions;
    const division = parts === undefined ? {} : { parts };
    const ended =
      outcome === 'completed'
        ? await complete(tenant, sessionId, owner, samples, reason, { end, ...division })
        : await fail(tenant, sessionId, owner, samples, reason, { end });
    const billableMs = 'billableMs' in ended ? ended.billableMs : 0;
    if (ended.outcome === 'ok') {
      metrics.billedSeconds.add(billableMs / 1000, { model });
      metrics.tenantUsage.countBilled(tenant, billableMs / 1000);
    }
    // `stale` means that the session belongs to another gateway, which releases the slot itself.
    if (ended.outcome !== 'stale') await ledger.pools.leave(model, chainId ?? sessionId, tenant);
    await ledger.gateways.disown(owner, { tenant, sessionId, chainId });
    logger.info(
      {
        request_id: requestId,
        session_id: sessionId,
        tenant,
        model,
        code: ended.outcome,
        reason,
        amount: billableMs,
      },
      'stream settled',
    );
  }

  /**
   * Repeats the work until it succeeds or this process ends. A session that is not ended would keep its credit
   * reserved, and would count against the tenant's concurrency limit.
   */
  async function retry({ sessionId: session_id, tenant }: OwnedStream, work: () => Promise<unknown>): Promise<void> {
    const task = { refused: false };
    pending.add(task);
    await retryUntilDone(work, (err) => {
      task.refused = true;
      logger.error({ err, session_id, tenant }, 'a stream could not be settled');
    });
    pending.delete(task);
  }

  return {
    add: (stream, owner, end) => retry(stream, () => settle(stream, owner, end)),
    rollBack: (stream, connectionId) => {
      const { tenant, sessionId } = stream;
      return retry(stream, () => ledger.sessions.disconnect(tenant, sessionId, connectionId));
    },
    get pending() {
      return pending.size;
    },
    settled: async () => {
      while ([...pending].some(({ refused }) => !refused))
        await new Promise((resolve) => setTimeout(resolve, CHECK_INTERVAL_MS));
    },
  };
}
