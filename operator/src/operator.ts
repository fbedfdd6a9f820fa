import type { AddressInfo } from 'node:net';
import { createTelemetry, startAdmin } from '@svc-asr/runtime';
import type { Logger, StopStep } from '@svc-asr/runtime';
import { assembleOperator } from './assemble.ts';
import type { OperatorParts } from './assemble.ts';
import { createCluster } from './kubernetes/cluster.ts';
import type { Cluster } from './kubernetes/cluster.ts';
import { watchGuard } from './ledger/watch.ts';
import { createInstruments, observe } from './metrics.ts';
import type { Instruments } from './metrics.ts';
import { systemClock } from './queue/clock.ts';
import { SYNC } from './reconcile/work.ts';
import type { OperatorSettings } from './settings.ts';
import { keyOf } from './source/source.ts';

/** A running operator. */
export interface Operator {
  adminPort: number;
  /** Steps that stop the operator, in order. */
  stopSteps: readonly StopStep[];
}

export interface OperatorOptions {
  /** Environment variables of the operator. Worker processes inherit most of them. */
  env?: NodeJS.ProcessEnv;
  /**
   * Called when leadership was lost, or when the elected operator could not start to reconcile. The process must then
   * exit. After a loss of leadership, the state in its memory may be outdated, because another leader may have made
   * changes.
   */
  onLost?: (reason: string) => void;
}

/** Creates and starts the operator. In a cluster it reconciles only while it is the leader. */
export async function startOperator(
  settings: OperatorSettings,
  logger: Logger,
  { env = process.env, onLost = () => process.exit(1) }: OperatorOptions = {},
): Promise<Operator> {
  const telemetry = await createTelemetry('operator', settings, logger);
  const { metrics } = telemetry;
  const instruments = createInstruments(metrics.meter, systemClock.nowMs);
  const lost = (reason: string) => {
    logger.fatal({ reason }, `this operator no longer leads and exits: ${reason}`);
    onLost(reason);
  };
  const onElected = () =>
    void lifecycle.start().catch((err: unknown) => lost(`reconciling could not be started: ${String(err)}`));
  const cluster = connectCluster({ settings, logger, instruments, onElected, onLost: lost });
  const parts = assembleOperator({ settings, env, cluster, instruments, logger });
  const lifecycle = new Lifecycle(parts, cluster, settings, logger);

  observe(metrics.meter, {
    queueDepth: parts.work.queue.depth,
    resourceKinds: () => parts.source.list().map(({ kind }) => kind),
    invalidResources: () => parts.source.invalidCount(),
    heldDeletions: parts.sync.held,
    lastSyncSeconds: parts.sync.lastSeconds,
    pools: () => parts.pools.statuses(),
    ledgerMissing: () => parts.guard.missing() !== undefined,
    isLeader: () => lifecycle.isLeading(),
    redisMemory: parts.memory.fullest,
    journal: () => parts.journal.readings(),
  });
  parts.memory.start();
  parts.redisSetup.task.start();
  const admin = await startAdmin({
    host: settings.ADMIN_HOST,
    port: settings.ADMIN_PORT,
    metrics,
    ready: () => lifecycle.findUnreadiness(),
  });
  const { port } = admin.address() as AddressInfo;
  if (cluster === undefined) await lifecycle.start();
  else {
    parts.kubernetesSource?.warm();
    cluster.start();
  }
  logger.info(`operator started, admin port ${port}`);
  const stopAdmin = () => {
    admin.close();
    admin.closeAllConnections();
  };
  return {
    adminPort: port,
    stopSteps: [
      ...lifecycle.stopSteps(),
      { name: 'admin port', stop: stopAdmin },
      { name: 'telemetry', stop: telemetry.stop },
    ],
  };
}

/** Creates the connection to the cluster. Undefined if resources come from files. */
function connectCluster(options: {
  settings: OperatorSettings;
  logger: Logger;
  instruments: Instruments;
  onElected: () => void;
  onLost: (reason: string) => void;
}): Cluster | undefined {
  const { settings, logger, instruments, onElected, onLost } = options;
  if (settings.KUBERNETES === '') return undefined;
  return createCluster({
    settings,
    logger,
    onElected,
    onLost,
    onRequest: instruments.countRequest,
    onRelist: instruments.countRelist,
    onActivity: instruments.noteWatchActivity,
  });
}

/** Starts and stops the parts of an operator in order. */
class Lifecycle {
  readonly #parts: OperatorParts;
  readonly #cluster: Cluster | undefined;
  readonly #settings: OperatorSettings;
  readonly #logger: Logger;
  #stopping = false;
  #stopWatching: (() => void) | undefined;

  constructor(parts: OperatorParts, cluster: Cluster | undefined, settings: OperatorSettings, logger: Logger) {
    this.#parts = parts;
    this.#cluster = cluster;
    this.#settings = settings;
    this.#logger = logger;
  }

  /** Starts to reconcile resources. In a cluster, called after this operator was elected. */
  async start(): Promise<void> {
    const { checkpoints, pools, controller, status, source, journal, purge, keyRetention } = this.#parts;
    await checkpoints.start();
    await pools.start();
    // A shutdown may have called pools.stop() before pools.start() was complete.
    if (this.#stopping) return pools.stop();
    await controller.start();
    if (this.#isStopping()) return;
    status.start();
    journal.start();
    purge.start();
    keyRetention.start();
    this.#stopWatching = watchGuard(this.#parts.guard, this.#settings.LEDGER_INTERVAL_MS, () => this.#enqueueAll());
    const from = this.#cluster === undefined ? { file: this.#settings.CONFIG_FOLDERS } : { reason: 'elected' };
    this.#logger.info({ ...from, amount: source.list().length }, 'started to reconcile resources');
  }

  isLeading(): boolean {
    return this.#cluster === undefined || this.#cluster.gate.isOpen();
  }

  /**
   * Returns why the operator is not ready. Undefined if it is ready. A standby is ready as soon as it could take over.
   */
  findUnreadiness(): string | undefined {
    const { kubernetesSource, link, work, memory } = this.#parts;
    if (this.#stopping) return 'the operator is stopping';
    const eviction = memory.findEviction();
    if (eviction !== undefined) return eviction;
    if (!this.isLeading()) return kubernetesSource?.synced() === true ? undefined : 'not all resources are listed yet';
    if (!link.ready) return 'Redis does not answer';
    return work.firstPass.done() ? undefined : 'the first pass over all resources is not complete';
  }

  stopSteps(): StopStep[] {
    const { controller, pools, runtime, status, checkpoints, journal, purge, keyRetention, memory, redisSetup, link } =
      this.#parts;
    return [
      { name: 'readiness', stop: () => void (this.#stopping = true) },
      { name: 'ledger', stop: () => this.#stopWatching?.() },
      { name: 'purge', stop: () => purge.stop() },
      { name: 'keys', stop: () => keyRetention.stop() },
      { name: 'controller', stop: controller.stop },
      { name: 'pools', stop: () => pools.stop() },
      { name: 'workers', stop: () => runtime.close() },
      { name: 'status', stop: () => status.stop() },
      { name: 'checkpoints', stop: checkpoints.stop },
      { name: 'journal', stop: () => journal.stop() },
      { name: 'memory', stop: memory.stop },
      { name: 'Redis setup', stop: redisSetup.task.stop },
      { name: 'lead', stop: () => this.#cluster?.stop() },
      { name: 'redis', stop: link.close },
    ];
  }

  /** Returns the flag. A method keeps the type checker from assuming that the flag cannot change during an `await`. */
  #isStopping(): boolean {
    return this.#stopping;
  }

  /** Enqueues a resync and every resource. Called when the ledger went missing or is present again. */
  #enqueueAll(): void {
    const { source, work } = this.#parts;
    // The resync alone is not enough, because it fails while the ledger is missing. Every Tenant must still report in
    // its status that the ledger is missing.
    for (const { kind, metadata } of source.list()) work.enqueue(keyOf(kind, metadata.name));
    work.enqueue(SYNC);
  }
}
