import type { AddressInfo } from 'node:net';
import { connectRedis, createLedger } from '@svc-asr/ledger';
import { createTelemetry, ledgerConstants, startAdmin } from '@svc-asr/runtime';
import type { Logger, StopStep } from '@svc-asr/runtime';
import { createController } from './controller.ts';
import { createCluster } from './kubernetes/cluster.ts';
import { createLedgerProtection } from './ledger/create.ts';
import { withLedgerGuard } from './ledger/guard.ts';
import { watchGuard } from './ledger/watch.ts';
import { createInstruments, observe } from './metrics.ts';
import { createNotices } from './notices.ts';
import { systemClock } from './queue/clock.ts';
import { createWorkQueue } from './queue/queue.ts';
import { createApiKeyReconciler } from './reconcile/apikey.ts';
import { createApplied } from './reconcile/applied.ts';
import { createCataloguePublisher } from './reconcile/catalogue.ts';
import { createFirstPass } from './reconcile/first-pass.ts';
import { createModelReconciler } from './reconcile/model.ts';
import { createOutcomeReport } from './reconcile/outcome.ts';
import { createReconcile } from './reconcile/reconcile.ts';
import { createSync } from './reconcile/sync.ts';
import { createTenantReconciler } from './reconcile/tenant.ts';
import { SYNC } from './reconcile/work.ts';
import type { WorkKey } from './reconcile/work.ts';
import { guardLink } from './redis-gate.ts';
import type { OperatorSettings } from './settings.ts';
import { createFileSource } from './source/file/source.ts';
import { createKubernetesSource } from './source/kubernetes/source.ts';
import { keyOf } from './source/source.ts';
import { createStatus } from './status/create.ts';
import { SILENT_REPORTER } from './status/reporter.ts';
import { createWorkerRuntime } from './workers/create.ts';
import { createPoolManager } from './workers/pool/manager.ts';
import { createPoolReport } from './workers/pool/report.ts';

const DAY_MS = 86_400_000;

/** A running operator. */
export interface Operator {
  adminPort: number;
  /** How to stop it, in order. */
  stopSteps: readonly StopStep[];
}

export interface OperatorOptions {
  /** What workers build on. */
  env?: NodeJS.ProcessEnv;
  /** The lead was lost: the process has to end, since what it knows may be outdated by what the next leader does. */
  onLost?: (reason: string) => void;
}

/** Puts the operator together from its parts and starts it; in a cluster it works only while it leads. */
export async function startOperator(
  settings: OperatorSettings,
  logger: Logger,
  { env = process.env, onLost = exit }: OperatorOptions = {},
): Promise<Operator> {
  const telemetry = await createTelemetry('operator', settings, logger);
  const { metrics } = telemetry;
  const instruments = createInstruments(metrics.meter, systemClock.nowMs);
  const notices = createNotices();

  const lost = (reason: string) => {
    logger.fatal({ reason }, `this operator does not lead any more and ends: ${reason}`);
    onLost(reason);
  };
  const cluster =
    settings.KUBERNETES === ''
      ? undefined
      : createCluster({
          settings,
          logger,
          onElected: () => void begin().catch((err: unknown) => lost(`it could not begin: ${String(err)}`)),
          onLost: lost,
          onRequest: instruments.countRequest,
          onRelist: instruments.countRelist,
          onActivity: instruments.noteWatchActivity,
        });

  const link = connectRedis({
    url: settings.REDIS_URL,
    name: 'svc-asr-operator',
    timeoutMs: settings.REDIS_TIMEOUT_MS,
    logger,
  });
  const ledger = createLedger(cluster === undefined ? link : guardLink(link, cluster.gate), {
    prefix: settings.REDIS_KEY_PREFIX,
    retentionMs: settings.TENANT_RETENTION_DAYS * DAY_MS,
    constants: ledgerConstants(settings),
  });

  const watched = cluster && createKubernetesSource({ cluster, notices, logger });
  const source =
    watched ??
    createFileSource({
      folders: settings.CONFIG_FOLDERS,
      pollMs: settings.CONFIG_POLL_MS,
      settleMs: settings.CONFIG_SETTLE_MS,
      deleteGraceMs: settings.CONFIG_DELETE_GRACE_MS,
      logger,
      notices,
    });

  const { guard, checkpoints } = createLedgerProtection({
    settings,
    ledger,
    source,
    logger,
    cluster: cluster && watched && { cluster, source: watched },
  });
  const leads = () => cluster === undefined || cluster.gate.isOpen();

  const queue = createWorkQueue(systemClock, { baseMs: settings.RETRY_BASE_MS, maxMs: settings.RETRY_MAX_MS });
  const firstPass = createFirstPass();
  const enqueue = (key: WorkKey) => {
    firstPass.queued(key);
    queue.add(key);
  };

  const { runtime, memory, rollouts } = createWorkerRuntime({ settings, env, cluster, notices, logger });
  const pools = createPoolManager({
    pools: withLedgerGuard(guard, ledger.pools),
    workers: withLedgerGuard(guard, ledger.workers),
    revisions: withLedgerGuard(guard, ledger.revisions),
    runtime,
    memory,
    rollouts,
    report: createPoolReport(notices, logger),
    limits: { lostMs: settings.WORKER_LOST_TIMEOUT_MS, startMs: settings.WORKER_START_TIMEOUT_MS },
    nowMs: systemClock.nowMs,
    source,
    intervalMs: settings.SCALING_INTERVAL_MS,
    onRemoved: (name) => enqueue(keyOf('ASRModel', name)),
  });

  const status =
    cluster === undefined || watched === undefined
      ? SILENT_REPORTER
      : createStatus({ settings, cluster, source: watched, ledger, guard, pools, notices, logger });
  const applied = createApplied(ledger.registry);
  const catalogue = createCataloguePublisher(ledger.catalogue, source);
  const sync = createSync({ source, applied, enqueue, notices, logger });
  const reconcilers = {
    ASRModel: createModelReconciler({ pools, catalogue, applied }),
    Tenant: createTenantReconciler({
      accounts: ledger.accounts,
      applied,
      notices,
      logger,
      checkpointOf: checkpoints.of,
      isNewest: source.isNewest,
      ledgerId: guard.ledgerId,
    }),
    ApiKey: createApiKeyReconciler({ keys: ledger.apiKeys, source, applied, notices, logger }),
  };
  const controller = createController({
    source,
    queue,
    enqueue,
    reconcile: createReconcile({ source, applied, reconcilers, catalogue, sync, status, guard, logger }),
    report: createOutcomeReport(instruments, notices, logger),
    firstPass,
    redisReady: () => link.ready,
    concurrency: settings.RECONCILE_CONCURRENCY,
    resyncMs: settings.RESYNC_SECONDS * 1000,
  });

  observe(metrics.meter, {
    queueDepth: queue.depth,
    resourceKinds: () => source.list().map(({ kind }) => kind),
    invalidResources: source.invalidCount,
    heldDeletions: sync.held,
    lastSyncSeconds: sync.lastSeconds,
    pools: pools.statuses,
    ledgerMissing: () => guard.missing() !== undefined,
    isLeader: leads,
  });
  let stopping = false;
  const isStopping = () => stopping;
  const admin = await startAdmin({
    host: settings.ADMIN_HOST,
    port: settings.ADMIN_PORT,
    metrics,
    ready: () => {
      if (stopping) return 'the operator is stopping';
      // One that stands by is ready to take over.
      if (!leads()) return watched?.synced() === true ? undefined : 'not everything has been listed yet';
      if (!link.ready) return 'Redis does not answer';
      return firstPass.done() ? undefined : 'the first pass over all resources is not over';
    },
  });
  const { port } = admin.address() as AddressInfo;

  let stopWatching: (() => void) | undefined;
  /** Begins to bring resources into force. */
  async function begin(): Promise<void> {
    await checkpoints.start();
    await pools.start();
    // Whoever told it to stop meanwhile did not find it running.
    if (isStopping()) return pools.stop();
    await controller.start();
    if (isStopping()) return;
    status.start();
    stopWatching = watchGuard(guard, settings.LEDGER_INTERVAL_MS, () => {
      // Also each by itself: the sync comes no further than the guard, and every Tenant is to say what is wrong.
      for (const { kind, metadata } of source.list()) enqueue(keyOf(kind, metadata.name));
      enqueue(SYNC);
    });
    const from = cluster === undefined ? { file: settings.CONFIG_FOLDERS } : { reason: 'elected' };
    logger.info({ ...from, amount: source.list().length }, 'resources are brought into force');
  }
  if (cluster === undefined) await begin();
  else {
    watched?.warm();
    cluster.start();
  }
  logger.info(`operator started, admin port ${port}`);

  return {
    adminPort: port,
    stopSteps: [
      { name: 'readiness', stop: () => void (stopping = true) },
      { name: 'ledger', stop: () => stopWatching?.() },
      { name: 'controller', stop: controller.stop },
      { name: 'pools', stop: pools.stop },
      { name: 'workers', stop: runtime.close },
      { name: 'status', stop: status.stop },
      { name: 'checkpoints', stop: checkpoints.stop },
      { name: 'lead', stop: () => cluster?.stop() },
      { name: 'redis', stop: link.close },
      {
        name: 'admin port',
        stop: () => {
          admin.close();
          admin.closeAllConnections();
        },
      },
      { name: 'telemetry', stop: telemetry.stop },
    ],
  };
}

function exit(): never {
  process.exit(1);
}
