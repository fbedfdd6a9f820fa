import type { Logger } from '@svc-asr/runtime';
import type { Engine } from './engine/engine.ts';
import type { ModelInfo } from './engine/protocol.ts';
import { startEngine } from './engine/start.ts';
import type { WorkerSettings } from './settings.ts';

/**
 * Loads and warms up the model that the settings name. A signal during this time ends the process at once, because
 * there is nothing to shut down yet.
 */
export async function loadEngine(settings: WorkerSettings, logger: Logger): Promise<Engine> {
  const started = performance.now();
  const exit = () => process.exit(0);
  process.once('SIGTERM', exit).once('SIGINT', exit);
  const engine = await startEngine({
    modelDir: settings.MODEL_DIR,
    provider: settings.PROVIDER,
    threads: settings.THREADS,
    measureMs: settings.MEASURE_SECONDS * 1000,
    ...(settings.MAX_SLOTS === 0 ? {} : { maxSlots: settings.MAX_SLOTS }),
    ...(settings.SLOTS === 0 ? {} : { slots: settings.SLOTS }),
    ...(settings.UTILIZATION_PERCENT === 0 ? {} : { utilization: settings.UTILIZATION_PERCENT / 100 }),
    ...(settings.MAX_BATCH === 0 ? {} : { maxBatch: settings.MAX_BATCH }),
  });
  process.off('SIGTERM', exit).off('SIGINT', exit);
  logger.info({ amount: engine.info.slots, duration_ms: Math.round(performance.now() - started) }, 'model loaded');
  warnAboutModel(settings, engine.info, logger);
  return engine;
}

/** Logs differences between a loaded model and the settings with which the worker can still serve. */
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
