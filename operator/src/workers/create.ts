import { join, resolve } from 'node:path';
import type { Logger } from '@svc-asr/runtime';
import type { Cluster } from '../kubernetes/cluster.ts';
import type { Notices } from '../notices.ts';
import { systemClock } from '../queue/clock.ts';
import type { RedisUsers } from '../redis-users.ts';
import type { OperatorSettings } from '../settings.ts';
import { createCopySource, installationWithin } from './cluster/model-namespace.ts';
import { NamespacedRuntime } from './cluster/namespaced-runtime.ts';
import type { SecretSource } from './cluster/secret/model-secret.ts';
import { readInstallation, readSecretSources } from './cluster/settings.ts';
import { createSlotsMemory, openSlotsMemory } from './pool/slots-memory.ts';
import type { SlotsMemory } from './pool/slots-memory.ts';
import { ProcessRuntime } from './process/runtime.ts';
import type { WorkerRuntime } from './runtime.ts';
import { createUnmanagedRuntime } from './unmanaged.ts';

/**
 * Share of the operator's own grace period after which worker processes are killed at the latest. The operator needs
 * the remaining time for its own shutdown.
 */
const SHARE_OF_GRACE = 0.8;

export interface WorkerRuntimeOptions {
  settings: OperatorSettings;
  /** Environment variables of the operator. Worker processes inherit most of them. */
  env: NodeJS.ProcessEnv;
  /** The cluster that workers run in. Undefined if they do not run in a cluster. */
  cluster: Pick<Cluster, 'scopes'> | undefined;
  /** Redis users of the models. Undefined if the workers of all models share one user. */
  redisUsers: Pick<RedisUsers, 'urlOf' | 'remove'> | undefined;
  /** Adds the workers of a model to the work queue, which then calls `converge`. */
  enqueue: (model: string) => void;
  notices: Notices;
  logger: Logger;
}

export interface WorkerRuntimeParts {
  runtime: WorkerRuntime;
  /** Converges the workers of a model to their desired state. Does nothing outside of a cluster. */
  converge: (model: string) => Promise<void>;
  slotsMemory: SlotsMemory;
}

/**
 * Creates the runtime that the settings select. Workers are pods, processes on this machine, or started by other means.
 */
export function createWorkerRuntime(options: WorkerRuntimeOptions): WorkerRuntimeParts {
  if (options.cluster !== undefined) return createClusterParts(options.cluster, options);
  const converge = () => Promise.resolve();
  if (options.settings.WORKER_PROGRAM === '') {
    return { runtime: createUnmanagedRuntime(), converge, slotsMemory: createSlotsMemory() };
  }
  return { ...createProcessParts(options), converge };
}

function createClusterParts(
  { scopes }: NonNullable<WorkerRuntimeOptions['cluster']>,
  { settings, redisUsers, enqueue, logger, notices }: WorkerRuntimeOptions,
): WorkerRuntimeParts {
  const urlSource: SecretSource[] = redisUsers
    ? [(model, existing) => ({ url: redisUsers.urlOf(model, existing.url) })]
    : [];
  const installation = readInstallation(settings);
  const secretSources = [...readSecretSources(settings), ...urlSource];
  const platformNamespace = scopes[0]?.api.namespace ?? '';
  const runtime = new NamespacedRuntime({
    namespaces: scopes.map(({ api, reflect, events }) =>
      api.namespace === platformNamespace
        ? { api, reflect, events, installation, secretSources }
        : {
            api,
            reflect,
            events,
            installation: installationWithin(installation, platformNamespace),
            secretSources: [...secretSources, createCopySource(settings)],
          },
    ),
    namespaceTimeoutMs: settings.MODEL_NAMESPACE_TIMEOUT_MS,
    onRemoved: async (model) => redisUsers?.remove(model),
    nodeNoticeKeys: settings.WORKER_NODE_NOTICES === 'true' ? settings.WORKER_NODE_NOTICE_KEYS : undefined,
    overdueMs: settings.WORKER_TERMINATION_TIMEOUT_MS,
    scaleRetryMs: settings.RETRY_MAX_MS,
    enqueue,
    logger,
    notices,
    nowMs: systemClock.nowMs,
  });
  // This memory stores nothing, because the status of the ASRModel has the slots that workers measured.
  return { runtime, converge: (model) => runtime.converge(model), slotsMemory: createSlotsMemory() };
}

function createProcessParts({ settings, env, logger }: WorkerRuntimeOptions): Omit<WorkerRuntimeParts, 'converge'> {
  const stateFolder = resolve(settings.WORKER_STATE_FOLDER);
  const runtime = new ProcessRuntime({
    program: resolve(settings.WORKER_PROGRAM),
    stateFolder,
    logFolder: resolve(settings.WORKER_LOG_FOLDER),
    base: env,
    modelRoot: resolve(settings.MODEL_ROOT),
    redis: {
      url: settings.REDIS_URL,
      prefix: settings.REDIS_KEY_PREFIX,
      timeoutMs: settings.REDIS_TIMEOUT_MS,
    },
    stopGraceMs: Math.min(settings.WORKER_STOP_GRACE_MS, settings.STOP_GRACE_MS * SHARE_OF_GRACE),
    logger,
    nowMs: systemClock.nowMs,
  });
  return { runtime, slotsMemory: openSlotsMemory(join(stateFolder, 'slots')) };
}
