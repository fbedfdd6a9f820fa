import type { Server } from 'node:http';
import { connectRedis, createLedger, withFunctions } from '@svc-asr/ledger';
import type { FollowedFile, Logger, Telemetry, TicketPublicKeys } from '@svc-asr/runtime';
import { advertisedAddress } from './address.ts';
import { Drain } from './drain.ts';
import type { Engine } from './engine/engine.ts';
import { createWorkerMetrics } from './metrics.ts';
import type { WorkerMetrics } from './metrics.ts';
import { watchProgress } from './progress.ts';
import type { ProgressWatch } from './progress.ts';
import { readGpuName } from './registration/gpu-name.ts';
import { keepRegistered } from './registration/registration.ts';
import type { Registration } from './registration/registration.ts';
import { listen } from './server/listen.ts';
import { Relay } from './server/relay.ts';
import { createTicketGate } from './server/tickets.ts';
import type { WorkerSettings } from './settings.ts';

/** A model that this process serves. Each model has its own engine, port, certificate, Redis user and registration. */
export interface ModelService {
  readonly engine: Engine;
  readonly relay: Relay;
  readonly drain: Drain;
  readonly watch: ProgressWatch;
  readonly registration: Registration;
  /** Closes the connection to Redis. */
  disconnect: () => Promise<void>;
}

export interface ServiceOptions {
  /** Id of this worker, which is the same for all of its models. */
  id: string;
  settings: WorkerSettings;
  ticketKeys: FollowedFile<TicketPublicKeys>;
  engine: Engine;
  telemetry: Telemetry;
  /** Called once when an operator asks the worker to drain. */
  onDrain: () => void;
  logger: Logger;
}

/** Opens the port of a model and registers the worker in its pool. */
export async function serveModel(options: ServiceOptions): Promise<ModelService> {
  const { id, settings, engine, telemetry, onDrain, logger } = options;
  const metrics = createWorkerMetrics(telemetry.metrics, settings.MODEL);
  metrics.observeEngine(engine);
  const { server, port } = await listen(settings, logger);
  const address = advertisedAddress(settings, port);
  const relay = openRelay(options, server, metrics);
  const { MOVE_AFTER_MS, DRAIN_TIMEOUT_MS } = settings;
  const drain = new Drain({ relay, moveAfterMs: MOVE_AFTER_MS, timeoutMs: DRAIN_TIMEOUT_MS, logger });
  const watch = watchProgress(engine, settings.PROGRESS_INTERVAL_MS, () => relay.alive());
  const { link, ledger } = connectLedger(settings, logger);
  const registration = keepRegistered({
    workers: ledger.workers,
    model: settings.MODEL,
    worker: { id, address, revision: settings.REVISION, slots: engine.info.slots, ...findDevice(settings) },
    renewMs: settings.LEASE_RENEW_MS,
    progress: () => engine.progress,
    onDrain,
    logger,
  });
  metrics.observeRegistered(() => registration.registered);
  metrics.observeStall(() => watch.stalledMs);
  logger.info({ reason: address }, 'listening');
  return { engine, relay, drain, watch, registration, disconnect: () => link.close() };
}

function openRelay(
  { id, settings, ticketKeys, engine, telemetry, logger }: ServiceOptions,
  server: Server,
  metrics: WorkerMetrics,
): Relay {
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

/** Returns the name of the GPU if the worker uses one. */
function findDevice({ PROVIDER }: Pick<WorkerSettings, 'PROVIDER'>): { device?: string } {
  const device = PROVIDER === 'cpu' ? undefined : readGpuName();
  return device === undefined ? {} : { device };
}
