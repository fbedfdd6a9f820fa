import type { AddressInfo } from 'node:net';
import { connectRedis, createLedger } from '@svc-asr/ledger';
import { createMetrics, startAdmin } from '@svc-asr/runtime';
import type { Logger, StopStep } from '@svc-asr/runtime';
import { createController } from './controller.ts';
import { createInstruments, observe } from './metrics.ts';
import { createNotices } from './notices.ts';
import { systemClock } from './queue/clock.ts';
import { createWorkQueue } from './queue/queue.ts';
import { createApiKeyReconciler } from './reconcile/apikey.ts';
import { createApplied } from './reconcile/applied.ts';
import { createCatalogue } from './reconcile/catalogue.ts';
import { createFirstPass } from './reconcile/first-pass.ts';
import { createModelReconciler } from './reconcile/model.ts';
import { createOutcomeReport } from './reconcile/outcome.ts';
import { createReconcile } from './reconcile/reconcile.ts';
import { createSync } from './reconcile/sync.ts';
import { createTenantReconciler } from './reconcile/tenant.ts';
import type { WorkKey } from './reconcile/work.ts';
import type { OperatorSettings } from './settings.ts';
import { createFileSource } from './source/file/source.ts';
import { createWorkers } from './workers/create.ts';
import { createPools } from './workers/pools.ts';
import { createPoolReport } from './workers/report.ts';

const DAY_MS = 86_400_000;

/** A running operator. */
export interface Operator {
  adminPort: number;
  /** How to stop it, in order. */
  stopSteps: readonly StopStep[];
}

/** Puts the operator together from its parts and starts it; `env` is what workers build on. */
export async function startOperator(
  settings: OperatorSettings,
  logger: Logger,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Operator> {
  const metrics = createMetrics('operator');
  const notices = createNotices();

  const link = connectRedis({
    url: settings.REDIS_URL,
    name: 'svc-asr-operator',
    timeoutMs: settings.REDIS_TIMEOUT_MS,
    logger,
  });
  const ledger = createLedger(link, {
    prefix: settings.REDIS_KEY_PREFIX,
    retentionMs: settings.TENANT_RETENTION_DAYS * DAY_MS,
  });

  const source = createFileSource({
    folders: settings.CONFIG_FOLDERS,
    pollMs: settings.CONFIG_POLL_MS,
    quietMs: settings.CONFIG_QUIET_MS,
    deleteGraceMs: settings.CONFIG_DELETE_GRACE_MS,
    logger,
    notices,
  });

  const queue = createWorkQueue(systemClock, { baseMs: settings.RETRY_BASE_MS, maxMs: settings.RETRY_MAX_MS });
  const firstPass = createFirstPass();
  const enqueue = (key: WorkKey) => {
    firstPass.queued(key);
    queue.add(key);
  };

  const { runtime, memory } = createWorkers(settings, env, logger);
  const pools = createPools({
    pools: ledger.pools,
    workers: ledger.workers,
    runtime,
    memory,
    report: createPoolReport(notices, logger),
    limits: { lostMs: settings.WORKER_LOST_MS, startMs: settings.WORKER_START_TIMEOUT_MS },
    nowMs: systemClock.nowMs,
    source,
    intervalMs: settings.SCALING_INTERVAL_MS,
  });

  const applied = createApplied(ledger.registry);
  const catalogue = createCatalogue(ledger.catalogue, source);
  const sync = createSync({ source, applied, enqueue, notices, logger });
  const reconcilers = {
    ASRModel: createModelReconciler({ pools, catalogue, applied }),
    Tenant: createTenantReconciler({ accounts: ledger.accounts, applied, notices, logger }),
    ApiKey: createApiKeyReconciler({ keys: ledger.keys, source, applied, notices, logger }),
  };
  const controller = createController({
    source,
    queue,
    enqueue,
    reconcile: createReconcile({ source, applied, reconcilers, catalogue, sync, logger }),
    report: createOutcomeReport(createInstruments(metrics.meter), notices, logger),
    firstPass,
    redisReady: () => link.ready,
    concurrency: settings.RECONCILE_CONCURRENCY,
    resyncMs: settings.RESYNC_SECONDS * 1000,
  });

  observe(metrics.meter, {
    queueDepth: queue.depth,
    resourceKinds: () => source.list().map(({ kind }) => kind),
    badFiles: source.badFiles,
    heldDeletions: sync.held,
    lastSyncSeconds: sync.lastSeconds,
    pools: pools.standings,
  });
  let stopping = false;
  const admin = await startAdmin({
    host: settings.ADMIN_HOST,
    port: settings.ADMIN_PORT,
    metrics,
    ready: () => {
      if (stopping) return 'the operator is stopping';
      if (!link.ready) return 'Redis does not answer';
      return firstPass.done() ? undefined : 'the first pass over all resources is not over';
    },
  });
  pools.start();
  await controller.start();
  const { port } = admin.address() as AddressInfo;
  logger.info({ amount: source.list().length, file: settings.CONFIG_FOLDERS }, `operator started, admin port ${port}`);

  return {
    adminPort: port,
    stopSteps: [
      { name: 'readiness', stop: () => void (stopping = true) },
      { name: 'controller', stop: controller.stop },
      { name: 'pools', stop: pools.stop },
      { name: 'workers', stop: runtime.close },
      { name: 'redis', stop: link.close },
      {
        name: 'admin port',
        stop: () => {
          admin.close();
          admin.closeAllConnections();
        },
      },
      { name: 'metrics', stop: metrics.stop },
    ],
  };
}
