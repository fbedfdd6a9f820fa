import { connectRedis, createLedger } from '@svc-asr/ledger';
import { createLogger, createTelemetry, ledgerConstants, readSettingsOrExit, runService } from '@svc-asr/runtime';
import { startAdmin } from '@svc-asr/runtime';
import { createApp } from './app.ts';
import { followCatalogue } from './catalogue.ts';
import type { Departure } from './http/shutdown.ts';
import { watchLedger } from './ledger-watch.ts';
import { createGatewayMetrics } from './metrics.ts';
import { startReaper } from './reaper.ts';
import { repeat } from './repeat.ts';
import { drain } from './server/drain.ts';
import { listen } from './server/listen.ts';
import { createCancellations } from './sessions/cancellations.ts';
import { GATEWAY_SETTINGS } from './settings.ts';
import type { GatewaySettings } from './settings.ts';
import { holdLease } from './stream/settlement/lease.ts';
import type { StreamTimes } from './stream/session.ts';
import { RevisionTallies } from './stream/recognition/revision-tallies.ts';
import { createSettlements } from './stream/settlement/settlements.ts';
import { Streams } from './stream/streams.ts';
import { createWorkerTrust } from './stream/recognition/worker-trust.ts';

/** What is left of the grace period for settling and closing. */
const STOP_RESERVE_MS = 2000;

/** The gateway, from its settings to its last stop step. */
export async function run(): Promise<void> {
  const settings = readSettingsOrExit('gateway', GATEWAY_SETTINGS);
  const logger = createLogger('gateway', settings.LOG_LEVEL);

  await runService(logger, settings.STOP_GRACE_MS + settings.DRAIN_DELAY_MS, async () => {
    const telemetry = await createTelemetry('gateway', settings, logger);
    const { tracing } = telemetry;
    const metrics = createGatewayMetrics(telemetry.metrics);
    const link = connectRedis({
      url: settings.REDIS_URL,
      name: 'gateway',
      timeoutMs: settings.REDIS_TIMEOUT_MS,
      logger,
    });
    const ledger = createLedger(link, {
      prefix: settings.REDIS_KEY_PREFIX,
      sessionTtlMs: settings.SESSION_TTL_MS,
      provisionalLeaseMs: settings.PROVISIONAL_LEASE_MS,
      processLeaseMs: settings.PROCESS_LEASE_MS,
      tombstoneMs: settings.CANCELLED_RETENTION_MS,
      reaperRetryMs: settings.REAPER_RETRY_MS,
      largestTimeStepMs: settings.REAPER_TIME_STEP_MS,
      constants: { ...ledgerConstants(settings), LINE_PATIENCE_MS: settings.STREAM_QUEUE_TTL_MS },
    });
    const catalogue = followCatalogue(ledger, logger, settings.CATALOGUE_INTERVAL_MS);
    const ledgerWatch = watchLedger(ledger, logger, {
      intervalMs: settings.LEDGER_INTERVAL_MS,
      idFile: settings.LEDGER_ID_FILE,
    });
    const cancellations = createCancellations(ledger, logger);
    const stopReaper = startReaper(ledger, logger, metrics, settings.REAPER_INTERVAL_MS);
    metrics.redisReady.addCallback((result) => result.observe(link.ready ? 1 : 0));
    metrics.pendingCancellations.addCallback((result) => result.observe(cancellations.pending));

    const settlements = createSettlements(ledger, logger, metrics);
    metrics.pendingSettlements.addCallback((result) => result.observe(settlements.pending));
    const lease = holdLease(ledger, logger, settings.LEASE_RENEW_MS, {
      onLost: () => streams.failAll(),
      sureOfLedger: ledgerWatch.sure,
    });
    const tallies = new RevisionTallies(ledger.revisions);
    const stopTelling = repeat(
      logger,
      () => settings.REVISION_TALLY_INTERVAL_MS,
      () => tallies.tell(),
    );
    const streams = new Streams({
      ledger,
      logger,
      catalogue,
      settlements,
      tallies,
      ledgerWatch,
      metrics,
      tracing,
      owner: lease.owner,
      workerTrust: createWorkerTrust({ caFile: settings.WORKER_CA_FILE, serverName: settings.WORKER_SERVER_NAME }),
      secrets: settings.SESSION_SECRETS,
      tickets: settings.WORKER_TICKETS,
      times: streamTimes(settings),
      memoryBytes: settings.STREAM_MEMORY_MIB * 1_048_576,
      suspensionMs: settings.SUSPENSION_INTERVAL_MS,
    });

    metrics.streams.addCallback((result) => {
      const counts = streams.counts();
      for (const { id: model } of catalogue.entries() ?? []) result.observe(counts.get(model) ?? 0, { model });
    });

    const departure: Departure = { announced: false, closed: false };
    const ready = () => {
      if (departure.announced) return 'draining';
      // Without Redis a gateway still serves models, documents and answers that say what is wrong: it stays in service.
      if (lease.owner() === undefined) return 'this gateway holds no lease yet';
      if (!ledgerWatch.known()) return 'it is not known yet whether Redis holds the ledger';
      return catalogue.entries() === undefined ? 'no catalogue was read yet' : undefined;
    };
    const app = createApp({
      settings,
      logger,
      metrics,
      ledger,
      catalogue,
      ledgerWatch,
      cancellations,
      departure,
      tracing,
    });
    const server = await listen(app, settings, logger, metrics);
    streams.attach(server);
    const admin = await startAdmin({
      host: settings.ADMIN_HOST,
      port: settings.ADMIN_PORT,
      ready,
      metrics: telemetry.metrics,
    });
    logger.info({ reason: settings.PUBLIC_URL }, 'listening');

    return [
      {
        name: 'tell the balancer',
        stop: () => {
          departure.announced = true;
          return new Promise((resolve) => setTimeout(resolve, settings.DRAIN_DELAY_MS));
        },
      },
      {
        name: 'finish streams',
        stop: () => {
          departure.closed = true;
          return streams.drain(Date.now() + settings.STOP_GRACE_MS - STOP_RESERVE_MS);
        },
      },
      { name: 'finish requests', stop: () => drain(server) },
      { name: 'settle streams', stop: () => settlements.settled() },
      { name: 'take back unanswered sessions', stop: () => cancellations.settled() },
      { name: 'give up the lease', stop: () => lease.stop() },
      { name: 'stop the reaper', stop: () => stopReaper() },
      { name: 'stop counting revisions', stop: () => stopTelling() },
      { name: 'stop watching the ledger', stop: () => ledgerWatch.stop() },
      { name: 'stop following the catalogue', stop: () => catalogue.stop() },
      { name: 'close Redis', stop: () => link.close() },
      { name: 'close the admin port', stop: () => drain(admin) },
      { name: 'send the last telemetry', stop: () => telemetry.stop() },
    ];
  });
}

function streamTimes(settings: GatewaySettings): StreamTimes {
  return {
    statusMs: settings.STREAM_STATUS_INTERVAL_MS,
    placeMs: settings.STREAM_PLACE_INTERVAL_MS,
    gatherMs: settings.STREAM_COALESCE_MS,
    workerOpenMs: settings.WORKER_OPEN_TIMEOUT_MS,
    workerSilenceMs: settings.WORKER_SILENCE_TIMEOUT_MS,
    workerAvoidMs: settings.WORKER_AVOID_MS,
    idleMs: settings.STREAM_IDLE_MS,
    pingMs: settings.STREAM_PING_MS,
    extraMs: settings.STREAM_LIFETIME_EXTRA_MS,
    finalMs: settings.STREAM_FINAL_TIMEOUT_MS,
    ticketMs: settings.WORKER_TICKET_TTL_MS,
  };
}
