import { randomUUID } from 'node:crypto';
import { createLogger, createMetrics, followFile, parseKeyring, parseTicketKey } from '@svc-asr/runtime';
import { createGatewayMetrics } from '../../gateway/src/metrics.ts';
import { AudioBudget } from '../../gateway/src/stream/audio-memory/audio-budget.ts';
import { RevisionTallies } from '../../gateway/src/stream/recognition/revision-tallies.ts';
import { createWorkerTrust } from '../../gateway/src/stream/recognition/worker-trust.ts';
import { Claims } from '../../gateway/src/stream/settlement/claims.ts';
import { createSettlements } from '../../gateway/src/stream/settlement/settlements.ts';
import { Streams } from '../../gateway/src/stream/streams.ts';
import { RefusalDelay } from '../../gateway/src/auth/refusal-delay.ts';
import { createQuietWaiters } from '../../gateway/src/testing/waiters.ts';
import { MODEL, SESSION_SECRETS } from '../support/gateway.ts';
import { ticketKeyFiles } from '../support/ticket-keys.ts';
import type { Stage } from './stage.ts';

const SECOND_MS = 1000;

/** Creates the streams of a gateway in this process, with the ledger and the workers of a stage. */
export async function createOwnStreams({ ledger }: Stage, partMs: number) {
  const logger = createLogger('gateway', 'silent');
  const metrics = createGatewayMetrics(createMetrics('gateway'));
  const owner = await ledger.gateways.join('own-streams');
  const entry = { id: MODEL, language: 'Kikuyu', languageCode: 'ki', maxAudioSeconds: 300, maxWaitSeconds: 120 };
  const ticketKey = followFile(ticketKeyFiles().keyFile, parseTicketKey, { logger });
  const streams = new Streams({
    ledger,
    logger,
    metrics,
    tracing: undefined,
    partMs,
    owner: () => owner,
    settlements: createSettlements(ledger, logger, metrics),
    claims: new Claims(),
    tallies: new RevisionTallies(ledger.revisions),
    waiters: { ...createQuietWaiters(), gateway: randomUUID() },
    workerTrust: createWorkerTrust({ caFile: '', serverName: '' }),
    secrets: parseKeyring(SESSION_SECRETS),
    ticketKey,
    ledgerWatch: { verify: () => Promise.resolve() },
    catalogue: { entries: () => [entry] } as never,
    budget: new AudioBudget(100 * 1_048_576),
    suspensionMs: SECOND_MS,
    cancellationMs: SECOND_MS,
    refusalDelay: new RefusalDelay(0),
    refusalsPerSecond: 100,
    maxAttempts: 100,
    addressOf: () => '',
    times: {
      statusMs: 5 * SECOND_MS,
      workerOpenMs: 10 * SECOND_MS,
      workerSilenceMs: 5 * SECOND_MS,
      workerAnswerMs: 30 * SECOND_MS,
      workerAvoidMs: 10 * SECOND_MS,
      idleMs: 60 * SECOND_MS,
      pingMs: 20 * SECOND_MS,
      extraMs: 300 * SECOND_MS,
      finalMs: 20 * SECOND_MS,
      ticketMs: 60 * SECOND_MS,
    },
  });
  const stop = async () => {
    await streams.drain(0);
    ticketKey.stop();
  };
  return { open: streams.open.bind(streams), stop };
}
