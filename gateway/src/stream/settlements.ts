import type { Ledger, OwnedStream, Owner } from '@svc-asr/ledger';
import type { Logger } from '@svc-asr/runtime';
import type { GatewayMetrics } from '../metrics.ts';
import { untilAnswered } from '../until-answered.ts';
import type { StreamEnd } from './session.ts';

interface OpenedStream extends OwnedStream {
  /** Of the handshake that opened it. */
  requestId: string;
}

export interface Settlements {
  /** Brings the end of a stream into the ledger; while Redis does not answer, again until it does. */
  add: (stream: OpenedStream, owner: Owner, end: StreamEnd) => Promise<void>;
  /** Takes back a connect whose answer never came or went nowhere, so that its credential works again. */
  takeBack: (stream: OwnedStream, connectionId: string) => Promise<void>;
  readonly pending: number;
  settled: () => Promise<void>;
}

/** Settles streams: charged when they ended in their own time, free of charge when the service failed. */
export function createSettlements(
  ledger: Ledger,
  logger: Logger,
  metrics: Pick<GatewayMetrics, 'billedSeconds'>,
): Settlements {
  const pending = new Set<Promise<void>>();

  async function settle(
    { tenant, sessionId, requestId }: OpenedStream,
    owner: Owner,
    { outcome, reason, samples }: StreamEnd,
  ): Promise<void> {
    const end = outcome === 'completed' ? ledger.sessions.settle : ledger.sessions.fail;
    await untilAnswered(async () => {
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
          ...{ request_id: requestId, session_id: sessionId, tenant, model },
          ...{ code: ended.outcome, reason, amount: billableMs ?? 0 },
        },
        'stream settled',
      );
    });
  }

  /** Asking again would not help: the session ends, uncharged, with the lease of this process. */
  function keep({ sessionId: session_id, tenant }: OwnedStream, work: Promise<unknown>): Promise<void> {
    const task = work
      .then(
        () => undefined,
        (err: unknown) => logger.error({ err, session_id, tenant }, 'a stream could not be settled'),
      )
      .finally(() => pending.delete(task));
    pending.add(task);
    return task;
  }

  return {
    add: (stream, owner, end) => keep(stream, settle(stream, owner, end)),
    takeBack: (stream, connectionId) => {
      const { tenant, sessionId } = stream;
      return keep(
        stream,
        untilAnswered(() => ledger.sessions.disconnect(tenant, sessionId, connectionId)),
      );
    },
    get pending() {
      return pending.size;
    },
    settled: async () => {
      while (pending.size > 0) await Promise.all(pending);
    },
  };
}
