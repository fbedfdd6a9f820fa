import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { connectRedis, createLedger, withFunctions } from '@svc-asr/ledger';
import { createLogger, createTelemetry, followFile, parseTicketPublicKeys } from '@svc-asr/runtime';
import { readSettingsOrExit, runService, startAdmin } from '@svc-asr/runtime';
import type { FollowedFile, Logger, StopStep, Telemetry, TicketPublicKeys } from '@svc-asr/runtime';
import { advertisedAddress } from './address.ts';
import { Drain } from './drain.ts';
import type { Engine } from './engine/engine.ts';
import { endWith } from './failure.ts';
import { loadEngine } from './load.ts';
import { createWorkerMetrics } from './metrics.ts';
import type { WorkerMetrics } from './metrics.ts';
import { watchProgress } from './progress.ts';
import { keepRegistered } from './registration/registration.ts';
import { listen } from './server/listen.ts';
import { Relay } from './server/relay.ts';
import { createTicketGate } from './server/tickets.ts';
import { WORKER_SETTINGS } from './settings.ts';
import type { WorkerSettings } from './settings.ts';

/** Longest time that shutdown may take after draining. */
const STOP_MS = 10_000;

/** Runs the worker, from reading its settings to the last shutdown step. */
export async function run(): Promise<void> {
  const settings = readSettingsOrExit('worker', WORKER_SETTINGS);
  const logger = createLogger('worker', settings.LOG_LEVEL).child({ model: settings.MODEL });
  await runService(logger, settings.DRAIN_TIMEOUT_MS + STOP_MS, () => startWorker(settings, logger));
}

/** Starts the components of the worker and returns the steps that stop them. */
async function startWorker(settings: WorkerSettings, logger: Logger): Promise<StopStep[]> {
  const id = settings.WORKER_ID === '' ? randomUUID() : settings.WORKER_ID;
  const ticketKeys = followFile(settings.WORKER_TICKET_PUBLIC_KEYS_FILE, parseTicketPublicKeys, { logger });
  const telemetry = await createTelemetry('worker', settings, logger);
  const metrics = createWorkerMetrics(telemetry.metrics, settings.MODEL);
  /** Checks of the admin port, which answers while the model is being loaded. */
  const checks = { live: (): Problem => undefined, ready: (): Problem => 'the model is being loaded' };
  const admin = await startAdmin({
    host: settings.ADMIN_HOST,
    port: settings.ADMIN_PORT,
    metrics: telemetry.metrics,
    live: () => checks.live(),
    ready: () => checks.ready(),
  });

  const engine = await loadEngine(settings, logger);
  metrics.observeEngine(engine);
  const { server, port } = await listen(settings, logger);
  const address = advertisedAddress(settings, port);
  const relay = openRelay({ id, settings, ticketKeys, server, engine, metrics, telemetry, logger });
  const { MOVE_AFTER_MS, DRAIN_TIMEOUT_MS } = settings;
  const drain = new Drain({ relay, moveAfterMs: MOVE_AFTER_MS, timeoutMs: DRAIN_TIMEOUT_MS, logger });
  const watch = watchProgress(engine, settings.PROGRESS_INTERVAL_MS, () => relay.alive());

  const { link, ledger } = connectLedger(settings, logger);
  const registration = keepRegistered({
    workers: ledger.workers,
    model: settings.MODEL,
    worker: { id, address, revision: settings.REVISION, slots: engine.info.slots },
    renewMs: settings.LEASE_RENEW_MS,
    progress: () => engine.progress,
    onDrain: () => drain.start(),
    logger,
  });
  metrics.observeRegistered(() => registration.registered);
  metrics.observeStall(() => watch.stalledMs);

  checks.live = () => (watch.stalledMs < settings.HANG_TIMEOUT_MS ? undefined : 'inference makes no progress');
  checks.ready = () => {
    if (registration.draining) return 'draining';
    return registration.registered ? undefined : 'not registered in Redis yet';
  };
  engine.once('failed', (err) => void endWith(err, { relay, registration, logger }));
  logger.info({ reason: address }, 'listening');

  return [
    { name: 'refuse new streams', stop: () => relay.refuse() },
    { name: 'leave the ledger', stop: () => registration.stop() },
    { name: 'move streams', stop: () => drain.finish() },
    { name: 'close the port', stop: () => relay.close() },
    { name: 'stop watching', stop: () => watch.stop() },
    { name: 'stop the engine', stop: () => engine.close() },
    { name: 'close Redis', stop: () => link.close() },
    { name: 'close the admin port', stop: () => void admin.close() },
    { name: 'send the last telemetry', stop: () => telemetry.stop() },
  ];
}

/** Reason why a check fails. Undefined if it passes. */
type Problem = string | undefined;

interface RelayDependencies {
  /** Id of this worker. */
  id: string;
  settings: WorkerSettings;
  ticketKeys: FollowedFile<TicketPublicKeys>;
  server: Server;
  engine: Engine;
  metrics: WorkerMetrics;
  telemetry: Telemetry;
  logger: Logger;
}

function openRelay({ id, settings, ticketKeys, server, engine, metrics, telemetry, logger }: RelayDependencies): Relay {
  return new Relay({
    server,
    engine,
    tickets: createTicketGate(ticketKeys, { worker: id, model: settings.MODEL }),
    limits: {
      openTimeoutMs: settings.OPEN_TIMEOUT_MS,
      slotWaitMs: settings.SLOT_WAIT_TIMEOUT_MS,
      unsentBytes: settings.MAX_UNSENT_BYTES,
      pingMs: settings.PING_MS,
    },
    metrics,
    logger,
    tracing: telemetry.tracing,
    attributes: {
      'svc_asr.model': settings.MODEL,
      'svc_asr.worker.id': id,
      'svc_asr.revision': settings.REVISION,
    },
  });
}

function connectLedger(settings: WorkerSettings, logger: Logger) {
  const link = connectRedis({
    url: settings.REDIS_URL,
    name: 'worker',
    timeoutMs: settings.REDIS_TIMEOUT_MS,
    logger,
  });
  // The Redis user of a worker may not send scripts.
  const ledger = createLedger(withFunctions(link), {
    prefix: settings.REDIS_KEY_PREFIX,
    processLeaseMs: settings.LEASE_MS,
  });
  return { link, ledger };
}
