import type { Logger } from '@svc-asr/runtime';
import type { Engine } from './engine/engine.ts';
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
  const { model, slots } = engine.info;
  logger.info({ amount: slots, duration_ms: Math.round(performance.now() - started) }, 'model loaded');
  if (model !== settings.MODEL) {
    logger.warn({ file: settings.MODEL_DIR, reason: model }, 'the id in the manifest differs from MODEL');
  }
  if (settings.PROVIDER === 'cuda' && !engine.info.gpuGraphs) {
    logger.warn(
      { file: settings.MODEL_DIR, reason: 'build them with training/optimize/gpu.py' },
      'the model has no GPU graphs, so the GPU serves fewer streams',
    );
  }
  return engine;
}
