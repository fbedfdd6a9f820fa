/**
 * Entry point of the inference thread. The thread loads the model, measures its speed, and then serves streams until it
 * receives a stop command.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { chunkSamples, earlySamples } from '../features/framing.ts';
import { ModelError } from '../model/error.ts';
import { contextKey } from '../model/manifest.ts';
import type { Backend } from './backend.ts';
import { splitByClient } from './client.ts';
import { HostBackend } from './host/backend.ts';
import { InferenceLoop } from './loop.ts';
import type { Command, ContextInfo, ModelInfo, Report, ThreadOptions } from './protocol.ts';
import { Gauges } from './shared.ts';
import type { SharedBuffers } from './shared.ts';
import { deriveSlots } from './slots.ts';
import { measureContext, planMeasurement } from './warmup.ts';

/** Interval at which the thread increases the progress counter while it is idle. */
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
// Closes the port, because an open port would keep the thread alive.
port.close();

async function main(options: ThreadOptions): Promise<void> {
  const backend = await loadBackend(options);
  const info = await describe(backend, options);
  report({ kind: 'loaded', info });
  // The main thread answers with the shared memory for the reported number of slots, and with the ports of the other
  // threads that serve streams.
  const { shared, ports } = await new Promise<Memory>((resolve) => port?.once('message', resolve));
  const clients = [port, ...ports];
  const gauges = new Gauges(shared);
  const runner = backend.createRunner(info.slots, (run) => {
    gauges.addRun(run);
  });
  const loop = new InferenceLoop({
    backend,
    runner,
    shared,
    gauges,
    costs: new Map(info.contexts.map(({ context, runCost }) => [contextKey(context), runCost])),
    report: (all) => {
      for (const [client, events] of splitByClient(all, clients.length).entries()) {
        if (events.length > 0) clients[client]?.postMessage({ kind: 'events', events } satisfies Report);
      }
    },
  });
  for (const client of clients) client?.on('message', (commands: readonly Command[]) => loop.take(commands));
  const timer = setInterval(() => {
    if (!loop.busy) gauges.tick();
    gauges.lateStreams = loop.countLate();
  }, IDLE_TICK_MS);
  try {
    await loop.run();
  } finally {
    clearInterval(timer);
    for (const other of ports) other.close();
  }
  await backend.close();
}

/** Message that the main thread sends after the model was loaded. */
interface Memory {
  readonly shared: SharedBuffers;
  /** Ports of the other threads that serve streams, in the order of their clients. */
  readonly ports: readonly MessagePort[];
}

async function loadBackend({ modelDir, provider, threads, maxBatch, maxSlots, slots, ...options }: ThreadOptions) {
  const { share, alternatives } = options;
  if (!options.gpuGraphs) {
    return await HostBackend.load(modelDir, { provider, threads, ...options }, maxBatch, alternatives);
  }
  // The native library is loaded only if the worker uses GPU graphs.
  const { DeviceBackend } = await import('./device/backend.ts');
  const device = provider === 'cuda' ? 'cuda' : 'cpu';
  return await DeviceBackend.load(modelDir, {
    provider: device,
    threads,
    maxBatch,
    maxSlots: slots ?? maxSlots,
    share,
    alternatives,
  });
}

async function describe(backend: Backend, options: ThreadOptions): Promise<ModelInfo> {
  const { slots, maxSlots, measureMs, utilization, share } = options;
  const { manifest } = backend;
  const contexts: ContextInfo[] = [];
  for (const { context } of manifest.contexts) {
    const measurement = planMeasurement(measureMs, contexts.length === 0 && slots === undefined);
    const shape = backend.contexts.get(contextKey(context));
    if (shape === undefined) continue;
    const measured = await measureContext(backend, contextKey(context), shape, measurement);
    const { framing } = shape;
    const sizes = { chunkSamples: chunkSamples(framing), earlySamples: earlySamples(framing) };
    contexts.push({ context, ...sizes, ...measured });
  }
  const factor = contexts[0]?.realTimeFactor ?? 1;
  const measuredSlots = deriveSlots(factor, utilization * share.time, Infinity);
  return {
    model: manifest.id,
    language: manifest.language,
    languageCode: manifest.languageCode,
    type: manifest.type,
    contexts,
    gpuGraphs: options.gpuGraphs,
    supportsPhrases: backend.supportsPhrases,
    subsampling: backend.contexts.values().next().value?.subsampling ?? 8,
    slots: Math.min(backend.maxSlots, slots ?? Math.min(measuredSlots, maxSlots)),
    measuredSlots,
    timeShare: share.time,
  };
}
