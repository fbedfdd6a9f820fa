import { connectRedis, createLedger, requireSchema } from '@svc-asr/ledger';
import type { Ledger, RedisLink } from '@svc-asr/ledger';
import { ledgerConstants } from '@svc-asr/runtime';
import type { Logger } from '@svc-asr/runtime';
import { createController } from './controller.ts';
import type { Controller } from './controller.ts';
import type { Cluster } from './kubernetes/cluster.ts';
import type { Checkpoints } from './ledger/checkpoints.ts';
import { createJournalTask } from './journal/create.ts';
import type { JournalKeeper } from './journal/keeper.ts';
import { createLedgerProtection } from './ledger/create.ts';
import { withLedgerGuard } from './ledger/guard.ts';
import type { LedgerGuard } from './ledger/guard.ts';
import type { Instruments } from './metrics.ts';
import { createNotices } from './notices.ts';
import type { Notices } from './notices.ts';
import { systemClock } from './queue/clock.ts';
import { createWorkQueue } from './queue/queue.ts';
import type { WorkQueue } from './queue/queue.ts';
import { createApiKeyReconciler } from './reconcile/apikey.ts';
import { createPurgeTask } from './purge/create.ts';
import type { PurgeTask } from './purge/task.ts';
import { createKeyRetention } from './retention/create.ts';
import type { KeyRetention } from './retention/task.ts';
import { createApplied } from './reconcile/applied.ts';
import { createCataloguePublisher } from './reconcile/catalogue.ts';
import { createFirstPass } from './reconcile/first-pass.ts';
import type { FirstPass } from './reconcile/first-pass.ts';
import { createModelReconciler } from './reconcile/model.ts';
import { createOutcomeReport } from './reconcile/outcome.ts';
import { createReconcile } from './reconcile/reconcile.ts';
import { createSync } from './reconcile/sync.ts';
import type { Sync } from './reconcile/sync.ts';
import { createTenantReconciler } from './reconcile/tenant.ts';
import { WaitingKeys } from './reconcile/waiting-keys.ts';
import { workersKeyOf } from './reconcile/work.ts';
import type { WorkKey } from './reconcile/work.ts';
import { guardLink } from './redis-gate.ts';
import { createRedisMemoryWatch } from './redis-memory.ts';
import type { RedisMemoryWatch } from './redis-memory.ts';
import { createRedisSetup } from './redis-setup.ts';
import type { RedisSetup } from './redis-setup.ts';
import type { OperatorSettings } from './settings.ts';
import { createFileSource } from './source/file/source.ts';
import { KubernetesSource } from './source/kubernetes/source.ts';
import { keyOf } from './source/source.ts';
import type { ResourceSource } from './source/source.ts';
import { createStatus } from './status/create.ts';
import { SILENT_REPORTER } from './status/reporter.ts';
import type { StatusReporter } from './status/reporter.ts';
import { createWorkerRuntime } from './workers/create.ts';
import { PoolManager } from './workers/pool-manager.ts';
import { createPoolReport } from './workers/pool/report.ts';
import { RolloutBudget } from './workers/pool/rollout-budget.ts';
import type { WorkerRuntime } from './workers/runtime.ts';

const DAY_MS = 86_400_000;
const MEMORY_INTERVAL_MS = 10_000;

export interface AssembleOptions {
  settings: OperatorSettings;
  /** Environment variables of the operator, from which worker processes inherit. */
  env: NodeJS.ProcessEnv;
  /** Undefined if resources come from files. */
  cluster: Cluster | undefined;
  instruments: Instruments;
  logger: Logger;
}

/** The parts of an operator. Before the start of the operator, only the link to Redis is active. */
export interface OperatorParts {
  link: RedisLink;
  source: ResourceSource;
  /** The same object as `source` if resources come from a cluster. Undefined if they come from files. */
  kubernetesSource: KubernetesSource | undefined;
  guard: LedgerGuard;
  checkpoints: Checkpoints;
  work: Work;
  runtime: WorkerRuntime;
  pools: PoolManager;
  status: StatusReporter;
  memory: RedisMemoryWatch;
  redisSetup: RedisSetup;
  journal: JournalKeeper;
  purge: PurgeTask;
  keyRetention: KeyRetention;
  sync: Sync;
  controller: Controller;
}

/** The queue of reconciles, and the functions that add keys to it. */
interface Work {
  queue: WorkQueue;
  firstPass: FirstPass;
  enqueue: (key: WorkKey) => void;
  /** Enqueues a key behind all other keys. */
  enqueueLast: (key: WorkKey) => void;
  enqueueWorkers: (model: string) => void;
}

/** Creates the parts of an operator and connects them with each other. */
export function assembleOperator(options: AssembleOptions): OperatorParts {
  const { settings, env, cluster, logger } = options;
  const notices = createNotices();
  const { link, ledger, memory, redisSetup } = connectLedger(options);
  const timeoutMs = settings.MODEL_NAMESPACE_TIMEOUT_MS;
  const kubernetesSource = cluster && new KubernetesSource({ scopes: cluster.scopes, timeoutMs, notices, logger });
  const source = kubernetesSource ?? createConfigSource(options, notices);
  const { guard, checkpoints } = createLedgerProtection({
    settings,
    ledger,
    source,
    logger,
    checkServer: memory.check,
    cluster: cluster && kubernetesSource && { cluster, source: kubernetesSource },
  });
  const work = createWork(settings);
  const { runtime, converge, slotsMemory } = createWorkerRuntime({
    settings,
    env,
    cluster,
    redisUsers: redisSetup.users,
    enqueue: work.enqueueWorkers,
    notices,
    logger,
  });
  const pools = new PoolManager({
    pools: withLedgerGuard(guard, ledger.pools),
    workers: withLedgerGuard(guard, ledger.workers),
    revisions: withLedgerGuard(guard, ledger.revisions),
    runtime,
    slotsMemory,
    rolloutBudget: new RolloutBudget(settings.MAX_ROLLOUTS),
    report: createPoolReport(notices, logger),
    limits: { lostMs: settings.WORKER_LOST_TIMEOUT_MS, startMs: settings.WORKER_START_TIMEOUT_MS },
    nowMs: systemClock.nowMs,
    source,
    namespaceOf: (model) => kubernetesSource?.object('ASRModel', model)?.metadata.namespace,
    intervalMs: settings.SCALING_INTERVAL_MS,
    onRemoved: (name) => work.enqueue(keyOf('ASRModel', name)),
  });
  const status =
    cluster === undefined || kubernetesSource === undefined
      ? SILENT_REPORTER
      : createStatus({ settings, cluster, source: kubernetesSource, ledger, guard, pools, notices, logger });
  const journal = createJournalTask(settings, withLedgerGuard(guard, ledger.journal), logger);
  const tasks = { status, memory, redisSetup, journal };
  const base = { link, source, kubernetesSource, guard, checkpoints, work, runtime, pools, ...tasks };
  return { ...base, ...createControl({ ...base, options, ledger, converge, notices }) };
}

function connectLedger({ settings, cluster, logger }: AssembleOptions): {
  link: RedisLink;
  ledger: Ledger;
  memory: RedisMemoryWatch;
  redisSetup: RedisSetup;
} {
  const link = connectRedis({
    url: settings.REDIS_URL,
    name: 'svc-asr-operator',
    timeoutMs: settings.REDIS_TIMEOUT_MS,
    logger,
  });
  const prefix = settings.REDIS_KEY_PREFIX;
  const checked = requireSchema(link, { prefix, logger });
  const ledger = createLedger(cluster === undefined ? checked : guardLink(checked, cluster.gate), {
    prefix,
    retentionMs: settings.TENANT_RETENTION_DAYS * DAY_MS,
    keyRetentionMs: settings.KEY_RETENTION_DAYS * DAY_MS,
    constants: ledgerConstants(settings),
  });
  // The memory watch uses the link without the leader check, because it also runs while this process is not the leader.
  const { memory } = createLedger(link, { prefix });
  return {
    link,
    ledger,
    memory: createRedisMemoryWatch({ memory, intervalMs: MEMORY_INTERVAL_MS, logger }),
    redisSetup: createRedisSetup({
      link,
      models:
        cluster === undefined || settings.WORKER_REDIS_USERS === 'shared'
          ? undefined
          : { url: settings.REDIS_URL, prefix: settings.REDIS_KEY_PREFIX },
      isLeading: () => cluster?.gate.isOpen() ?? true,
      logger,
    }),
  };
}

function createConfigSource({ settings, logger }: AssembleOptions, notices: Notices): ResourceSource {
  return createFileSource({
    folders: settings.CONFIG_FOLDERS,
    pollMs: settings.CONFIG_POLL_MS,
    settleMs: settings.CONFIG_SETTLE_MS,
    deleteGraceMs: settings.CONFIG_DELETE_GRACE_MS,
    logger,
    notices,
  });
}

function createWork(settings: OperatorSettings): Work {
  const queue = createWorkQueue(systemClock, { baseMs: settings.RETRY_BASE_MS, maxMs: settings.RETRY_MAX_MS });
  const firstPass = createFirstPass();
  return {
    queue,
    firstPass,
    enqueue: (key) => {
      firstPass.queued(key);
      queue.add(key);
    },
    enqueueLast: (key) => {
      firstPass.queued(key);
      queue.addLast(key);
    },
    enqueueWorkers: (model) => {
      const key = workersKeyOf(model);
      // Pools call this at each full reconcile. If the last reconcile of the key failed, the key is already queued for
      // the end of its backoff. It is then not retried earlier.
      if (queue.failures(key) === 0) queue.add(key);
    },
  };
}

interface ControlParts extends Omit<OperatorParts, 'sync' | 'controller' | 'purge' | 'keyRetention'> {
  options: AssembleOptions;
  ledger: Ledger;
  converge: (model: string) => Promise<void>;
  notices: Notices;
}

/** Creates the reconcilers and the controller that runs them. */
function createControl(parts: ControlParts): Pick<OperatorParts, 'sync' | 'controller' | 'purge' | 'keyRetention'> {
  const { source, pools, status, guard, checkpoints, ledger, converge, notices, work } = parts;
  const { settings, instruments, logger } = parts.options;
  const applied = createApplied(ledger.registry);
  const catalogue = createCataloguePublisher(ledger.catalogue, source);
  const purge = createPurgeTask({ ...parts, settings, applied, enqueue: work.enqueue, logger });
  const waitingKeys = new WaitingKeys();
  const sync = createSync({ source, applied, work, notices, logger });
  const reconcilers = {
    ASRModel: createModelReconciler({ pools, catalogue, applied }),
    Tenant: createTenantReconciler({
      accounts: ledger.accounts,
      applied,
      notices,
      logger,
      checkpointOf: checkpoints.of,
      isNewest: (resource) => source.isNewest(resource),
      ledgerId: guard.ledgerId,
      purge: (tenant) => purge.remove(tenant),
      waitingKeys,
      enqueueKey: (name) => work.enqueue(keyOf('ApiKey', name)),
    }),
    ApiKey: createApiKeyReconciler({ keys: ledger.apiKeys, source, applied, waitingKeys, notices, logger }),
  };
  const controller = createController({
    source,
    queue: work.queue,
    enqueue: work.enqueue,
    reconcile: createReconcile({
      source,
      applied,
      reconcilers,
      catalogue,
      sync,
      converge,
      status,
      guard,
      isPurgeRequested: (tenant) => purge.isRequested(tenant),
      logger,
    }),
    report: createOutcomeReport(instruments, notices, logger),
    firstPass: work.firstPass,
    redisReady: () => parts.link.ready,
    concurrency: settings.RECONCILE_CONCURRENCY,
    resyncMs: settings.RESYNC_SECONDS * 1000,
  });
  const keyRetention = createKeyRetention({ ...parts.options, ledger, guard, source, applied });
  return { sync, controller, purge, keyRetention };
}
