import { readFileSync } from 'node:fs';
import { connectRedis, createLedger } from '@svc-asr/ledger';
import type { Ledger } from '@svc-asr/ledger';
import { createLogger, createMetrics, parseTicketKey } from '@svc-asr/runtime';
import { createGatewayMetrics } from '../../gateway/src/metrics.ts';
import { RevisionTallies } from '../../gateway/src/stream/recognition/revision-tallies.ts';
import { WorkerConnections } from '../../gateway/src/stream/recognition/worker-connections.ts';
import { Waiters } from '../../gateway/src/stream/recognition/waiters.ts';
import { createWorkerTrust } from '../../gateway/src/stream/recognition/worker-trust.ts';
import type { StreamParts, StreamSession } from '../../gateway/src/stream/session.ts';
import { Ticker } from '../../gateway/src/stream/ticker.ts';
import { StreamWatch } from '../../gateway/src/telemetry/stream-watch.ts';
import { connected } from '../../test/support/connected.ts';

/** Times of a gateway with default settings, in milliseconds. */
const TIMES = {
  statusMs: 3000,
  workerOpenMs: 3000,
  workerSilenceMs: 3000,
  workerAnswerMs: 10_000,
  workerAvoidMs: 20_000,
  idleMs: 30_000,
  pingMs: 20_000,
  extraMs: 300_000,
  finalMs: 5000,
  ticketMs: 10_000,
};
const TICK_MS = 250;
const MAX_WAIT_MS = 60_000;
const TENANT = 'bench';

/** The part of a gateway that communicates with workers. It has no clients. */
export interface GatewaySide {
  readonly parts: StreamParts;
  /** Returns a session that is not stored in the ledger. Pools can place its stream nevertheless. */
  createSession: (id: string) => StreamSession;
  /** Releases the slot of a stream that has ended. */
  leave: (session: StreamSession) => Promise<void>;
  close: () => Promise<void>;
}

export interface GatewaySideOptions {
  readonly redisUrl: string;
  readonly prefix: string;
  readonly ticketKeyFile: string;
  readonly model: string;
}

/** Connects to Redis as a gateway does, and prepares the modules of a gateway for streams of one model. */
export async function openGatewaySide(options: GatewaySideOptions): Promise<GatewaySide> {
  const { redisUrl, prefix, ticketKeyFile, model } = options;
  const logger = createLogger('gateway', 'warn');
  const link = connectRedis({ url: redisUrl, name: 'gateway', timeoutMs: 5000, logger });
  await connected(link);
  const ledger: Ledger = createLedger(link, { prefix });
  const waiters = new Waiters({ pools: ledger.pools, subscribe: link.subscribe, logger, intervalMs: 2000 });
  const ticker = new Ticker(TICK_MS);
  const workerConnections = new WorkerConnections();
  const metrics = createGatewayMetrics(createMetrics('gateway'));
  return {
    parts: {
      ledger,
      ticketKey: { current: parseTicketKey(readFileSync(ticketKeyFile, 'utf8')) },
      times: TIMES,
      logger,
      ticker,
      tallies: new RevisionTallies(ledger.revisions),
      workerTrust: createWorkerTrust({ caFile: '', serverName: '' }),
      workerConnections,
      waiters,
    },
    createSession: (sessionId) => {
      const watch = new StreamWatch({ metrics, trace: undefined, model, requestedAtMs: performance.now() });
      return {
        sessionId,
        tenant: TENANT,
        model,
        languageCode: '',
        reservedMs: 300_000,
        priority: 'normal',
        maxWaitMs: MAX_WAIT_MS,
        watch,
      };
    },
    leave: ({ sessionId, tenant }) => ledger.pools.leave(model, sessionId, tenant),
    close: async () => {
      ticker.stop();
      workerConnections.close();
      waiters.stop();
      await link.close();
    },
  };
}
