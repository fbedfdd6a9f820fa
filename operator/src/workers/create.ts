import { join, resolve } from 'node:path';
import type { Logger } from '@svc-asr/runtime';
import type { KubeApi } from '@svc-asr/kubernetes';
import type { EventRecorder } from '../kubernetes/events.ts';
import type { Notices } from '../notices.ts';
import { systemClock } from '../queue/clock.ts';
import type { OperatorSettings } from '../settings.ts';
import type { Reflect } from './cluster/objects/object-cache.ts';
import { createClusterRuntime } from './cluster/runtime.ts';
import { readInstallation } from './cluster/settings.ts';
import { createUnmanagedRuntime } from './unmanaged.ts';
import { createProcessRuntime } from './process/runtime.ts';
import { createRolloutMemory } from './pool/rollout-memory.ts';
import type { RolloutMemory } from './pool/rollout-memory.ts';
import type { WorkerRuntime } from './runtime.ts';
import { createSlotsMemory, openSlotsMemory } from './pool/slots-memory.ts';
import type { SlotsMemory } from './pool/slots-memory.ts';

/** What is left of the operator's own grace period when the last worker is killed. */
const SHARE_OF_GRACE = 0.8;

export interface WorkersOptions {
  settings: OperatorSettings;
  /** What worker processes build on. */
  env: NodeJS.ProcessEnv;
  /** The cluster that workers run in; undefined: they do not run in one. */
  cluster:
    | {
        api: Pick<KubeApi, 'get' | 'apply' | 'mergePatch' | 'delete'>;
        reflect: Reflect;
        events: Pick<EventRecorder, 'record'>;
      }
    | undefined;
  notices: Notices;
  logger: Logger;
}

/** What runs workers, and what has to be remembered of them. */
export interface Workers {
  runtime: WorkerRuntime;
  memory: SlotsMemory;
  rollouts: RolloutMemory;
}

/** Makes what runs workers: pods of a cluster, processes of this machine, or something else than the operator. */
export function createWorkerRuntime(options: WorkersOptions): Workers {
  const { settings, cluster } = options;
  if (cluster !== undefined) return createClusterWorkers(cluster, options);
  const rollouts = createRolloutMemory();
  if (settings.WORKER_PROGRAM === '')
    return { runtime: createUnmanagedRuntime(), memory: createSlotsMemory(), rollouts };
  return { ...createProcessWorkers(options), rollouts };
}

function createClusterWorkers(
  { api, reflect, events }: NonNullable<WorkersOptions['cluster']>,
  { settings, logger, notices }: WorkersOptions,
): Workers {
  const { runtime, rollouts } = createClusterRuntime({
    api,
    reflect,
    events,
    installation: readInstallation(settings),
    patienceMs: settings.WORKER_PENDING_TIMEOUT_MS,
    overdueMs: settings.WORKER_TERMINATION_TIMEOUT_MS,
    concurrency: settings.RECONCILE_CONCURRENCY,
    retry: { baseMs: settings.RETRY_BASE_MS, maxMs: settings.RETRY_MAX_MS },
    logger,
    notices,
    clock: systemClock,
  });
  // The status of a model tells what its workers measured.
  return { runtime, rollouts, memory: createSlotsMemory() };
}

function createProcessWorkers({ settings, env, logger }: WorkersOptions): Pick<Workers, 'runtime' | 'memory'> {
  const stateFolder = resolve(settings.WORKER_STATE_FOLDER);
  const runtime = createProcessRuntime({
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
  return { runtime, memory: openSlotsMemory(join(stateFolder, 'slots')) };
}
