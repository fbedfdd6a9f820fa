import { once } from 'node:events';
import { connectRedis, createLedger, withFunctions } from '@svc-asr/ledger';
import type { NewWorker } from '@svc-asr/ledger';
import type { Logger, Telemetry } from '@svc-asr/runtime';
import { advertisedAddresses } from './address.ts';
import { followSpeed } from './adaptation/follow.ts';
import type { SlotLimits } from './adaptation/decide.ts';
import type { SlotFollower } from './adaptation/follow.ts';
import { Drain } from './drain.ts';
import type { Engine } from './engine/engine.ts';
import { EngineError } from './engine/error.ts';
import { limitSlots } from './io/slots.ts';
import { IoThreads } from './io/threads.ts';
import { createWorkerMetrics } from './metrics.ts';
import type { WorkerMetrics } from './metrics.ts';
import { watchProgress } from './progress.ts';
import type { ProgressWatch } from './progress.ts';
import { readGpuName } from './registration/gpu-name.ts';
import { keepRegistered } from './registration/registration.ts';
import type { Registration } from './registration/registration.ts';
import type { WorkerSettings } from './settings.ts';

/**
 * A model that this process serves. A model does not share its engine, I/O threads, ports, Redis connection or
 * registration with other models.
 */
export interface ModelService {
  readonly engine: Engine;
  readonly relay: IoThreads;
  readonly drain: Drain;
  readonly watch: ProgressWatch;
  readonly registration: Registration;
  readonly follower: SlotFollower;
  /** Closes the connection to Redis. */
  disconnect: () => Promise<void>;
}

export interface ServiceOptions {
  /** Id of this worker. It is the same for all models of the worker. */
  id: string;
  settings: WorkerSettings;
  engine: Engine;
  telemetry: Telemetry;
  /** Called once when the operator asks the worker to drain. */
  onDrain: () => void;
  logger: Logger;
}

/** A model with open ports that is not registered yet. */
export interface OpenModel {
  /** Registers the worker in the pool of the model. */
  register: () => ModelService;
}

/** Opens the ports of a model and measures how many streams of the model the worker can serve. */
export async function openModel(options: ServiceOptions): Promise<OpenModel> {
  const { id, settings, engine, telemetry, logger } = options;
  const metrics = createWorkerMetrics(telemetry.metrics, settings.MODEL);
  const { threads: relay, ports } = await IoThreads.start({ workerId: id, settings, accesses: engine.accesses });
  metrics.observeSamples(() => relay.samples);
  relay.on('ended', metrics.countEnd);
  // If an I/O thread fails, the whole engine fails, which ends the worker.
  relay.once('failed', (cause) => engine.fail(new EngineError('engine_failed', cause.message, { cause })));
  engine.once('failed', (err) => relay.fail(err));
  const slots = await limitSlots(relay, engine, settings, logger);
  metrics.observeEngine(engine, slots);
  const [address = '', ...furtherAddresses] = advertisedAddresses(settings, ports);
  logger.info({ reason: [address, ...furtherAddresses].join(' ') }, 'listening');
  const worker = {
    id,
    address,
    furtherAddresses,
    revision: settings.REVISION,
    slots,
    contexts: engine.info.contexts.map(({ context }) => context),
    ...findDevice(settings),
    ...(settings.TIER !== '' && { tier: settings.TIER }),
  };
  return { register: () => registerModel(options, worker, relay, metrics) };
}

function registerModel(
  { settings, engine, onDrain, logger }: ServiceOptions,
  worker: NewWorker,
  relay: IoThreads,
  metrics: WorkerMetrics,
): ModelService {
  const { MOVE_AFTER_MS, DRAIN_TIMEOUT_MS } = settings;
  const drain = new Drain({ relay, moveAfterMs: MOVE_AFTER_MS, timeoutMs: DRAIN_TIMEOUT_MS, logger });
  const watch = watchProgress(relay, settings.PROGRESS_INTERVAL_MS, () => undefined);
  const { link, ledger } = connectLedger(settings, logger);
  const limits = slotLimits(settings, engine, worker.slots);
  const registration = keepRegistered({
    workers: ledger.workers,
    model: settings.MODEL,
    worker,
    startSlots: limits.start,
    renewMs: settings.LEASE_RENEW_MS,
    progress: () => relay.progress,
    syncClock: async () => {
      await ledger.syncClock();
      relay.setRedisTime(ledger.now());
    },
    onDrain,
    logger,
  });
  const follower = followSpeed({
    engine,
    limits,
    runsOverlap: settings.PROVIDER !== 'cpu',
    onChange: (slots) => registration.resize(slots),
    onExcess: (share) => relay.moveExcess(share),
    logger,
  });
  metrics.observeSlots(() => follower.slots);
  metrics.observeRegistered(() => registration.registered);
  metrics.observeStall(() => watch.stalledMs);
  return { engine, relay, drain, watch, registration, follower, disconnect: () => link.close() };
}

function slotLimits(settings: WorkerSettings, { info }: Engine, slots: number): SlotLimits {
  const { SLOTS, PROVIDER, LEAST_SLOTS_PERCENT, START_SLOTS_PERCENT } = settings;
  const percentOf = (percent: number) => Math.max(1, Math.ceil((slots * percent) / 100));
  const isStartLimited = PROVIDER === 'cpu' && SLOTS === 0;
  return {
    measured: info.measuredSlots,
    share: info.timeShare,
    least: percentOf(LEAST_SLOTS_PERCENT),
    start: isStartLimited ? percentOf(Math.max(START_SLOTS_PERCENT, LEAST_SLOTS_PERCENT)) : slots,
    most: slots,
  };
}

/**
 * Returns the result of a task of the start. Throws if an engine fails before the task has ended. Also throws if it
 * failed earlier, while the worker loaded another model. Before the start is complete, no other code observes failures
 * of the engines.
 */
export async function orFailure<T>(engines: readonly Engine[], task: Promise<T>): Promise<T> {
  const settled = new AbortController();
  const failures = engines.map(async (engine) => {
    if (engine.failure !== undefined) throw engine.failure;
    const [err] = (await once(engine, 'failed', { signal: settled.signal })) as [Error];
    throw err;
  });
  try {
    return await Promise.race([...failures, task]);
  } finally {
    settled.abort();
  }
}

function connectLedger(settings: WorkerSettings, logger: Logger) {
  const link = connectRedis({
    url: settings.REDIS_URL,
    name: 'worker',
    timeoutMs: settings.REDIS_TIMEOUT_MS,
    logger,
  });
  // Calls functions that are stored in Redis, because the Redis user of a worker has no right to send scripts.
  const ledger = createLedger(withFunctions(link), {
    prefix: settings.REDIS_KEY_PREFIX,
    processLeaseMs: settings.LEASE_MS,
  });
  return { link, ledger };
}

/** Returns the name of the GPU, if the worker uses a GPU. */
function findDevice({ PROVIDER }: Pick<WorkerSettings, 'PROVIDER'>): { device?: string } {
  const device = PROVIDER === 'cpu' ? undefined : readGpuName();
  return device === undefined ? {} : { device };
}
