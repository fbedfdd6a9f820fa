/**
 * Entry point of the inference thread. It loads the model, measures it and then serves streams until it receives a stop
 * command.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { chunkSamples } from '../features/framing.ts';
import { ModelError } from '../model/error.ts';
import { loadModel } from '../model/load.ts';
import type { Model } from '../model/load.ts';
import { contextKey } from '../model/manifest.ts';
import { channelSize, timeSize } from '../model/scratch.ts';
import { BatchRunner } from './batch.ts';
import { CachePool } from './caches.ts';
import { InferenceLoop } from './loop.ts';
import type { Command, ContextInfo, ModelInfo, Report, ThreadOptions } from './protocol.ts';
import { Gauges } from './shared.ts';
import type { SharedBuffers } from './shared.ts';
import { deriveSlots } from './slots.ts';
import { measureRealTimeFactor } from './warmup.ts';

/** Interval at which an idle thread reports progress. */
const IDLE_TICK_MS = 250;

const port = parentPort;
if (port === null) throw new Error('thread.ts must run in a worker thread');
const report = (message: Report): void => port.postMessage(message);

try {
  await main(workerData as ThreadOptions);
} catch (error) {
  const code = error instanceof ModelError ? error.code : undefined;
  report({ kind: 'refused', code, message: error instanceof Error ? error.message : String(error) });
}

async function main(options: ThreadOptions): Promise<void> {
  const model = await loadModel(options.modelDir, options, options.maxBatch);
  const info = await describe(model, options);
  report({ kind: 'loaded', info });
  // The main thread answers with the shared memory for the reported number of slots.
  const shared = await new Promise<SharedBuffers>((resolve) => port?.once('message', resolve));
  const gauges = new Gauges(shared);
  const loop = createLoop(model, shared, gauges, info.slots, options.maxBatch);
  port?.on('message', (commands: readonly Command[]) => {
    loop.take(commands);
  });
  const timer = setInterval(() => {
    if (!loop.busy) gauges.tick();
  }, IDLE_TICK_MS);
  await loop.run();
  clearInterval(timer);
  port?.close();
}

function createLoop(
  model: Model,
  shared: SharedBuffers,
  gauges: Gauges,
  slots: number,
  maxBatch: number,
): InferenceLoop {
  const [first] = model.encoders.values();
  if (first === undefined) throw new Error('the model has no context');
  const { shape } = first;
  const caches = new CachePool(slots, channelSize(shape), timeSize(shape));
  const runner = new BatchRunner(model, caches, shape.mels, (windows, cpuMs, ms, waitMs) => {
    gauges.addRun(windows, cpuMs, ms, waitMs);
  });
  return new InferenceLoop({
    model,
    runner,
    shared,
    gauges,
    maxBatch,
    report: (events) => report({ kind: 'events', events }),
  });
}

async function describe(model: Model, options: ThreadOptions): Promise<ModelInfo> {
  const { maxBatch, slots, maxSlots, measureMs, utilization } = options;
  const { manifest, encoders } = model;
  const contexts: ContextInfo[] = [];
  for (const { context } of manifest.contexts) {
    // The number of slots is derived from the first context, so only that one is measured for long.
    const mostMs = contexts.length === 0 && slots === undefined ? measureMs : 0;
    const encoder = encoders.get(contextKey(context));
    if (encoder === undefined) continue;
    const realTimeFactor = await measureRealTimeFactor(model, contextKey(context), encoder, maxBatch, mostMs);
    contexts.push({ context, chunkSamples: chunkSamples(encoder.shape.framing), realTimeFactor });
  }
  const factor = contexts[0]?.realTimeFactor ?? 1;
  return {
    model: manifest.id,
    language: manifest.language,
    languageCode: manifest.languageCode,
    type: manifest.type,
    contexts,
    subsampling: encoders.values().next().value?.shape.subsampling ?? 8,
    slots: slots ?? deriveSlots(factor, utilization, maxSlots),
  };
}
