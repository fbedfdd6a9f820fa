import type { Server } from 'node:http';
import { STREAM_LIMITS } from '@svc-asr/core';
import { connectRedis, createLedger, requireSchema } from '@svc-asr/ledger';
import type { Ledger, RedisConnection } from '@svc-asr/ledger';
import { createLogger, createTelemetry, followFile, ledgerConstants, parseTicketKey } from '@svc-asr/runtime';
import { readSettingsOrExit, runService, startAdmin } from '@svc-asr/runtime';
import type { Logger, StopStep, Tracing } from '@svc-asr/runtime';
import { createHandler } from './app.ts';
import { createGatewayKeys } from './auth/keys.ts';
import { RateBlocks } from './auth/rate-blocks.ts';
import { maxWaitingOf, RefusalDelay } from './auth/refusal-delay.ts';
import { readDocuments } from './documents/index.ts';
import { followCatalogue } from './catalogue.ts';
import type { CatalogueView } from './catalogue.ts';
import { maxConnectionsOf } from './server/connections.ts';
import { clientAddress } from './server/client-address.ts';
import type { TrustProxy } from './server/client-address.ts';
import { RefusalLog } from './http/refusal-log.ts';
import type { Shutdown } from './http/shutdown.ts';
import { createInternalApp, listenInternally } from './internal/index.ts';
import { watchLedger } from './ledger-watch.ts';
import type { LedgerWatch } from './ledger-watch.ts';
import { createGatewayMetrics } from './metrics.ts';
import type { GatewayMetrics } from './metrics.ts';
import { createRealtime, isRealtime } from './openai/realtime/index.ts';
import type { Realtime, RealtimeParts } from './openai/realtime/index.ts';
import { startReaper } from './reaper.ts';
import { repeat } from './repeat.ts';
import { countConnections, drain, listen } from './server/listen.ts';
import { handleUpgrades } from './server/upgrades.ts';
import { createCancellations } from './sessions/cancellations.ts';
import { GATEWAY_SETTINGS } from './settings.ts';
import type { GatewaySettings } from './settings.ts';
import { AudioBudget } from './stream/audio-memory/audio-budget.ts';
import { AudioCapacity } from './stream/audio-memory/audio-capacity.ts';
import { RevisionTallies } from './stream/recognition/revision-tallies.ts';
import { Waiters } from './stream/recognition/waiters.ts';
import { createWorkerTrust } from './stream/recognition/worker-trust.ts';
import { Claims } from './stream/settlement/claims.ts';
import { streamTimes } from './stream/times.ts';
import { holdLease } from './stream/settlement/lease.ts';
import type { Lease } from './stream/settlement/lease.ts';
import { startReconciling } from './stream/settlement/reconcile.ts';
import { createSettlements } from './stream/settlement/settlements.ts';
import type { Settlements } from './stream/settlement/settlements.ts';
import { Streams } from './stream/streams.ts';

/** Part of the grace period that is reserved for settling streams and closing connections. */
const STOP_RESERVE_MS = 2000;

interface StreamServices {
  streams: Streams;
  settlements: Settlements;
  lease: Lease;
  waiters: Waiters;
  stopReconciling: () => void;
  stopTallies: () => void;
}

interface StreamDependencies {
  link: RedisConnection;
  budget: AudioBudget;
  audioCapacity: AudioCapacity;
  logger: Logger;
  ledger: Ledger;
  catalogue: CatalogueView;
  ledgerWatch: LedgerWatch;
  metrics: GatewayMetrics;
  /** Undefined if tracing is off. */
  tracing: Tracing | undefined;
  trustProxy: TrustProxy;
  refusalDelay: RefusalDelay;
}

/** Runs the gateway until it receives a signal to stop. */
export async function run(): Promise<void> {
  const settings = readSettingsOrExit('gateway', GATEWAY_SETTINGS);
  const logger = createLogger('gateway', settings.LOG_LEVEL);
  await runService(logger, settings.STOP_GRACE_MS + settings.DRAIN_DELAY_MS, () => startGateway(settings, logger));
}

/** Starts the gateway and returns the steps that stop it, in order. */
async function startGateway(settings: GatewaySettings, logger: Logger): Promise<readonly StopStep[]> {
  const telemetry = await createTelemetry('gateway', settings, logger);
  const { tracing } = telemetry;
  const metrics = createGatewayMetrics(telemetry.metrics, settings.TENANT_METRICS_MAX);
  const { link, ledger } = openLedger(settings, logger);
  metrics.redisReady.addCallback((result) => result.observe(link.ready ? 1 : 0));

  const { catalogue, ledgerWatch, stopClock } = followLedger(settings, ledger, logger);
  const cancellations = createCancellations(ledger, logger);
  metrics.pendingCancellations.addCallback((result) => result.observe(cancellations.pending));
  const stopReaper = startReaper(ledger, logger, metrics, settings.REAPER_INTERVAL_MS);
  const refusals = new RefusalLog({ ledger, metrics });
  const maxWaiting = maxWaitingOf(maxConnectionsOf(settings.MAX_CONNECTIONS));
  const refusalDelay = new RefusalDelay(settings.REFUSAL_DELAY_MS, maxWaiting);
  const limits = { rateBlocks: new RateBlocks(), refusalDelay };
  const shared = { logger, ledger, catalogue, ledgerWatch, ...limits, metrics, tracing, refusals };
  const shutdown: Shutdown = { announced: false, closed: false };
  const { budget, audioCapacity } = createAudioMemory(settings, metrics);
  const documents = readDocuments();
  const openStream: Streams['open'] = (session, client, options) => streams.open(session, client, options);
  const keys = createGatewayKeys(settings, shared);
  const parts = { ...shared, keys, settings, cancellations, shutdown, audioCapacity, openStream, documents };
  const { handler, app } = createHandler(parts);
  const trustProxy = app.get('trust proxy fn') as TrustProxy;
  const { streams, waiters, settlements, lease, stopReconciling, stopTallies } = startStreams(settings, {
    ...shared,
    link,
    budget,
    audioCapacity,
    trustProxy,
  });

  const server = await listen(handler, { settings, logger, metrics, trustProxy });
  const internal = await listenInternally(settings, () => createInternalApp(parts), logger);
  const realtimeParts = { ...shared, keys, budget, cancellations, audioCapacity, openStream, trustProxy };
  const realtime = acceptUpgrades(server, streams, settings, realtimeParts);
  metrics.connections.addCallback(async (result) => result.observe(await countConnections(server)));
  const admin = await startAdmin({
    host: settings.ADMIN_HOST,
    port: settings.ADMIN_PORT,
    ready: () => (shutdown.announced ? 'draining' : findMissing(lease, ledgerWatch, catalogue)),
    metrics: telemetry.metrics,
  });
  logger.info({ reason: settings.PUBLIC_URL }, 'listening');

  return [
    {
      name: 'announce the shutdown to load balancers',
      stop: () => {
        shutdown.announced = true;
        return new Promise((resolve) => setTimeout(resolve, settings.DRAIN_DELAY_MS));
      },
    },
    {
      name: 'drain streams',
      stop: () => {
        shutdown.closed = true;
        realtime.drain();
        return streams.drain(performance.now() + settings.STOP_GRACE_MS - STOP_RESERVE_MS);
      },
    },
    { name: 'disconnect realtime clients', stop: () => realtime.stop() },
    { name: 'send delayed refusals', stop: () => limits.refusalDelay.stop() },
    { name: 'drain requests of the console', stop: () => internal && drain(internal) },
    { name: 'drain requests', stop: () => drain(server) },
    { name: 'write refused requests', stop: () => refusals.write() },
    { name: 'settle streams', stop: () => settlements.settled() },
    { name: 'cancel unanswered sessions', stop: () => cancellations.settled() },
    { name: 'stop reconciling streams', stop: () => stopReconciling() },
    { name: 'release the lease', stop: () => lease.stop() },
    { name: 'stop the reaper', stop: () => stopReaper() },
    { name: 'stop writing revision tallies', stop: () => stopTallies() },
    { name: 'stop following the clock of Redis', stop: () => stopClock() },
    { name: 'stop watching the ledger', stop: () => ledgerWatch.stop() },
    { name: 'stop following the catalogue', stop: () => catalogue.stop() },
    { name: 'stop waiting for workers', stop: () => waiters.stop() },
    { name: 'close Redis', stop: () => link.close() },
    { name: 'close the admin port', stop: () => drain(admin) },
    { name: 'send the last telemetry', stop: () => telemetry.stop() },
  ];
}

/** Follows the catalogue, the ledger id and the clock of Redis. */
function followLedger(settings: GatewaySettings, ledger: Ledger, logger: Logger) {
  const intervalMs = settings.LEDGER_INTERVAL_MS;
  return {
    catalogue: followCatalogue(ledger, logger, settings.CATALOGUE_INTERVAL_MS),
    ledgerWatch: watchLedger(ledger, logger, { intervalMs, idFile: settings.LEDGER_ID_FILE }),
    // The gateway uses this clock to check the expiry of a credential before it calls Redis.
    stopClock: repeat(
      logger,
      () => intervalMs,
      () => ledger.syncClock(),
    ),
  };
}

/** Passes upgrade requests to the streams of this gateway or to its realtime connections. */
function acceptUpgrades(
  server: Server,
  streams: Streams,
  settings: GatewaySettings,
  { trustProxy, ...parts }: Omit<RealtimeParts, 'addressOf'> & { trustProxy: TrustProxy },
): Realtime {
  const realtime = createRealtime(settings, { ...parts, addressOf: (request) => clientAddress(request, trustProxy) });
  handleUpgrades(server, (request) => {
    const handler = isRealtime(request) ? realtime : streams;
    return (...upgrade) => handler.upgrade(...upgrade);
  });
  return realtime;
}

function createAudioMemory(settings: GatewaySettings, metrics: GatewayMetrics) {
  const budget = new AudioBudget(settings.STREAM_MEMORY_MIB * 1_048_576);
  metrics.audioMemory.addCallback((result) => result.observe(budget.heldBytes));
  metrics.audioMemoryLimit.addCallback((result) => result.observe(budget.limitBytes));
  return { budget, audioCapacity: new AudioCapacity(budget) };
}

function openLedger(settings: GatewaySettings, logger: Logger): { link: RedisConnection; ledger: Ledger } {
  const link = connectRedis({
    url: settings.REDIS_URL,
    name: 'gateway',
    timeoutMs: settings.REDIS_TIMEOUT_MS,
    logger,
  });
  const ledger = createLedger(requireSchema(link, { prefix: settings.REDIS_KEY_PREFIX, logger }), {
    prefix: settings.REDIS_KEY_PREFIX,
    sessionTtlMs: settings.SESSION_TTL_MS,
    provisionalLeaseMs: settings.PROVISIONAL_LEASE_MS,
    processLeaseMs: settings.PROCESS_LEASE_MS,
    tombstoneMs: settings.CANCELLED_RETENTION_MS,
    reaperRetryMs: settings.REAPER_RETRY_MS,
    largestTimeStepMs: settings.REAPER_TIME_STEP_MS,
    constants: {
      ...ledgerConstants(settings),
      QUEUE_TTL_MS: settings.STREAM_QUEUE_TTL_MS,
      STREAM_EXTRA_MS: streamExtraMs(settings),
    },
  });
  return { link, ledger };
}

/**
 * Returns the longest time from a handshake to the settlement of its stream, without the duration of the reserved
 * audio. It is the sum of the wait for a worker, the opening of the stream, the extra lifetime, the last `final` and
 * the settlement. If a model allows a longer wait for a worker, the reaper extends the deadline of the session.
 */
function streamExtraMs(settings: GatewaySettings): number {
  const waitMs = STREAM_LIMITS.maxWaitSeconds * 1000 + settings.WORKER_OPEN_TIMEOUT_MS;
  return waitMs + settings.STREAM_LIFETIME_EXTRA_MS + settings.STREAM_FINAL_TIMEOUT_MS + settings.PROCESS_LEASE_MS;
}

/**
 * Starts everything that streams need, such as the lease of this gateway, settlements, and the tallies for rollouts.
 */
function startStreams(settings: GatewaySettings, dependencies: StreamDependencies): StreamServices {
  const { link, logger, ledger, catalogue, ledgerWatch, metrics, trustProxy, audioCapacity } = dependencies;
  const settlements = createSettlements(ledger, logger, metrics);
  metrics.pendingSettlements.addCallback((result) => result.observe(settlements.pending));
  const lease = holdLease(ledger, logger, {
    renewMs: settings.LEASE_RENEW_MS,
    audioCapacity,
    onLost: () => streams.failAll(),
    verifyLedger: ledgerWatch.verify,
  });
  const claims = new Claims();
  const stopReconciling = startReconciling({ ledger, logger, metrics, claims }, lease, settings.LEASE_RENEW_MS);
  const tallies = new RevisionTallies(ledger.revisions);
  const stopTallies = repeat(
    logger,
    () => settings.REVISION_TALLY_INTERVAL_MS,
    () => tallies.write(),
  );
  const waiters = new Waiters({
    pools: ledger.pools,
    subscribe: link.subscribe,
    logger,
    intervalMs: settings.STREAM_PLACE_INTERVAL_MS,
  });
  const streams = new Streams({
    ...dependencies,
    waiters,
    settlements,
    claims,
    tallies,
    owner: lease.owner,
    workerTrust: createWorkerTrust({ caFile: settings.WORKER_CA_FILE, serverName: settings.WORKER_SERVER_NAME }),
    secrets: settings.SESSION_SECRETS,
    ticketKey: followFile(settings.WORKER_TICKET_KEY_FILE, parseTicketKey, { logger }),
    times: streamTimes(settings),
    partMs: settings.CHAIN_PART_SECONDS * 1000,
    suspensionMs: settings.SUSPENSION_INTERVAL_MS,
    cancellationMs: settings.CANCELLATION_INTERVAL_MS,
    refusalsPerSecond: settings.HANDSHAKE_REFUSALS_PER_SECOND,
    maxAttempts: settings.HANDSHAKES_PENDING_MAX,
    addressOf: (request) => clientAddress(request, trustProxy),
  });
  metrics.streams.addCallback((result) => {
    const counts = streams.counts();
    for (const { id: model } of catalogue.entries() ?? []) result.observe(counts.get(model) ?? 0, { model });
  });
  return { streams, waiters, settlements, lease, stopReconciling, stopTallies };
}

/**
 * Returns what the gateway lacks to be ready. Undefined if it is ready. Once the gateway is ready, it stays ready
 * without Redis, because it still serves models, documents and meaningful errors.
 */
function findMissing(lease: Lease, ledgerWatch: LedgerWatch, catalogue: CatalogueView): string | undefined {
  if (lease.owner() === undefined) return 'this gateway holds no lease yet';
  if (!ledgerWatch.checked()) return 'it is not known yet whether Redis holds the ledger';
  return catalogue.entries() === undefined ? 'no catalogue was read yet' : undefined;
}
