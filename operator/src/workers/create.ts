import { join, resolve } from 'node:path';
import type { Logger } from '@svc-asr/runtime';
import { systemClock } from '../queue/clock.ts';
import type { OperatorSettings } from '../settings.ts';
import { createProcessRuntime } from './process/runtime.ts';
import { createForeignRuntime } from './runtime.ts';
import type { WorkerRuntime } from './runtime.ts';
import { createSlotsMemory, openSlotsMemory } from './slots-memory.ts';
import type { SlotsMemory } from './slots-memory.ts';

/** What is left of the operator's own grace period when the last worker is killed. */
const SHARE_OF_GRACE = 0.8;

/** Makes what runs workers, as the settings say: processes of this machine, or something else than the operator. */
export function createWorkers(
  settings: OperatorSettings,
  env: NodeJS.ProcessEnv,
  logger: Logger,
): { runtime: WorkerRuntime; memory: SlotsMemory } {
  if (settings.WORKER_PROGRAM === '') return { runtime: createForeignRuntime(), memory: createSlotsMemory() };
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
