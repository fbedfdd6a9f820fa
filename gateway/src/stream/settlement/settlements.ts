import type { Ledger, OwnedStream, Owner } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import type { GatewayMetrics } from '../../metrics.ts';
import { retryUntilDone } from '../../retry.ts';
import type { StreamEnd } from '../session.ts';

/** How often who waits looks whether all is settled. */
const CHECK_INTERVAL_MS = 20;

interface OpenedStream extends OwnedStream {
  /** Of the handshake that opened it. */
  requestId: string;
}

export interface Settlements {
  /** Brings the end of a stream into the ledger; while Redis does not answer or refuses, again until it is there. */
  add: (stream: OpenedStream, owner: Owner, end: StreamEnd) => Promise<void>;
  /** Takes back a connect whose answer never came or went nowhere, so that its credential works again. */
  rollBack: (stream: OwnedStream, connectionId: string) => Promise<void>;
  readonly pending: number;
  /** Resolves when nothing is pending but what Redis refuses: that is for those who see this process leave. */
  settled: () => Promise<void>;
}

/** Settles streams: charged when they ended in their own time, free of charge when the service failed. */
export function createSettlements(
  ledger: Ledger,
  logger: Logger,
  metrics: Pick<GatewayMetrics, 'billedSeconds'>,
): Settlements {
  const pending = new Set<{ refused: boolean }>();

  async function settle(
    { tenant, sessionId, requestId }: OpenedStream,
    owner: Owner,
    { outcome, reason, samples }: StreamEnd,
  ): Promise<void> {
    const end = outcome === 'completed' ? ledger.sessions.settle : ledger.sessions.fail;
    const ended = await end(tenant, sessionId, owner, samples, reason);
    // Of a session that is not ours the owner gives up the place.
    const { model, billableMs } = 'model' in ended ? ended : {};
    if (model !== undefined && ended.outcome === 'ok') {
      metrics.billedSeconds.add((billableMs ?? 0) / 1000, { model });
    }
    if (model !== undefined) await ledger.pools.leave(model, sessionId, tenant);
    await ledger.gateways.disown(owner, { tenant, sessionId });
    logger.info(
      {
        request_id: requestId,
        session_id: sessionId,
        tenant,
        model,
        code: ended.outcome,
        reason,
        amount: billableMs ?? 0,
      },
      'stream settled',
    );
  }

  /** Not given up while this process lives: a session that nobody ends holds credit and a tenant's place for ever. */
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
