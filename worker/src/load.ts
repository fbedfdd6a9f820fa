import { availableParallelism } from 'node:os';
import type { Logger } from '@svc-asr/runtime';
import type { Engine } from './engine/engine.ts';
import type { ModelInfo } from './engine/protocol.ts';
import { shareMachine } from './engine/share.ts';
import type { MachineShare } from './engine/share.ts';
import { startEngine } from './engine/start.ts';
import { countIoThreads } from './io/threads.ts';
import type { WorkerSettings } from './settings.ts';

/** A model and its engine. */
export interface LoadedModel<M> {
  readonly model: M;
  readonly engine: Engine;
}

/**
 * Loads and warms up models one after the other. So each model is measured while no other model runs. A SIGTERM or
 * SIGINT during this time ends the process immediately, because it has nothing to shut down yet.
 */
export async function loadEngines<M extends { readonly settings: WorkerSettings; readonly logger: Logger }>(
  models: readonly M[],
): Promise<LoadedModel<M>[]> {
  const exit = () => process.exit(0);
  process.once('SIGTERM', exit).once('SIGINT', exit);
  const loaded: LoadedModel<M>[] = [];
  for (const [index, model] of models.entries()) {
    const { settings, logger } = model;
    const ioThreads = countIoThreads(settings, availableParallelism() / models.length);
    loaded.push({ model, engine: await loadEngine(settings, ioThreads, shareMachine(index, models.length), logger) });
  }
  process.off('SIGTERM', exit).off('SIGINT', exit);
  return loaded;
}

async function loadEngine(
  settings: WorkerSettings,
  ioThreads: number,
  share: MachineShare,
  logger: Logger,
): Promise<Engine> {
  const started = performance.now();
  const engine = await startEngine({
    modelDir: settings.MODEL_DIR,
    provider: settings.PROVIDER,
    threads: settings.THREADS,
    ioThreads,
    measureMs: settings.MEASURE_SECONDS * 1000,
    share,
    ...(settings.MAX_SLOTS === 0 ? {} : { maxSlots: settings.MAX_SLOTS }),
    ...(settings.SLOTS === 0 ? {} : { slots: settings.SLOTS }),
    ...(settings.UTILIZATION_PERCENT === 0 ? {} : { utilization: settings.UTILIZATION_PERCENT / 100 }),
    ...(settings.MAX_BATCH === 0 ? {} : { maxBatch: settings.MAX_BATCH }),
  });
  logger.info({ amount: engine.info.slots, duration_ms: Math.round(performance.now() - started) }, 'model loaded');
  warnAboutModel(settings, engine.info, logger);
  return engine;
}

/**
 * Logs warnings if a loaded model differs from the settings. The worker serves the model in spite of these differences.
 */
export function warnAboutModel(
  { MODEL, MODEL_DIR, PROVIDER, SLOTS }: Pick<WorkerSettings, 'MODEL' | 'MODEL_DIR' | 'PROVIDER' | 'SLOTS'>,
  { model, slots, gpuGraphs }: Pick<ModelInfo, 'model' | 'slots' | 'gpuGraphs'>,
  logger: Pick<Logger, 'warn'>,
): void {
  if (model !== MODEL) {
    logger.warn({ file: MODEL_DIR, reason: model }, 'the id in the manifest differs from MODEL');
  }
  if (PROVIDER === 'cuda' && !gpuGraphs) {
    const reason = 'build them with training/optimize/gpu.py';
    logger.warn({ file: MODEL_DIR, reason }, 'the model has no GPU graphs, so the GPU serves fewer streams');
  }
  if (slots < SLOTS) {
    const reason = `SLOTS is ${SLOTS}; lower it, or use a GPU with more memory`;
    logger.warn({ amount: slots, reason }, 'the GPU has memory for fewer streams than SLOTS');
  }
}
