import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { ModelError } from '../model/error.ts';
import { Engine } from './engine.ts';
import { EngineError } from './error.ts';
import type { ModelInfo, Report, ThreadOptions } from './protocol.ts';
import { createSharedBuffers } from './shared.ts';

/** Settings of an engine. */
export interface EngineOptions {
  /** Model folder: manifest.json and what it names. */
  readonly modelDir: string;
  /** Execution provider: `cpu` (default), `cuda`, or another one that onnxruntime knows. */
  readonly provider?: string;
  /** Threads inside one run; 1 unless given. */
  readonly threads?: number;
  /** Streams at a time; measured at warm-up unless given. */
  readonly slots?: number;
  /** Most slots that the warm-up may find; 1024 unless given. */
  readonly maxSlots?: number;
  /** How long the warm-up measures for them at most; 20 s unless given. It takes a fifth of that where the cores are nobody else's. */
  readonly measureMs?: number;
  /** Most streams in one run; 16 on a CPU and 64 elsewhere unless given. */
  readonly maxBatch?: number;
  /** Whether every batch is filled up to the largest; unless given, on all but a CPU. */
  readonly paddedBatches?: boolean;
  /** Share of the measured capacity that slots may use; 0.8 on a CPU and 0.85 elsewhere unless given. The rest absorbs bursts. */
  readonly utilization?: number;
}

/** Loads a model in an inference thread, warms it up, and answers when it can take streams. Throws a ModelError that says what is wrong. */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const provider = options.provider ?? 'cpu';
  const workerData: ThreadOptions = {
    modelDir: options.modelDir,
    provider,
    threads: options.threads ?? 1,
    slots: options.slots,
    maxSlots: options.maxSlots ?? 1024,
    measureMs: options.measureMs ?? 20_000,
    // Beyond these sizes a run only gets longer, and with it the wait of streams that are not in it.
    // Nor can more be ready than there are slots.
    maxBatch: Math.min(options.maxBatch ?? (provider === 'cpu' ? 16 : 64), options.slots ?? options.maxSlots ?? 1024),
    paddedBatches: options.paddedBatches ?? provider !== 'cpu',
    utilization: options.utilization ?? (provider === 'cpu' ? 0.8 : 0.85),
  };
  // Tests run the sources, services the build.
  const entry = import.meta.url.endsWith('.ts') ? './thread.ts' : './thread.js';
  const thread = new Worker(new URL(entry, import.meta.url), { workerData, name: 'inference' });
  const info = await loaded(thread);
  const shared = createSharedBuffers(info.slots);
  const engine = new Engine(thread, info, shared);
  thread.postMessage(shared);
  return engine;
}

async function loaded(thread: Worker): Promise<ModelInfo> {
  const settled = new AbortController();
  const { signal } = settled;
  try {
    const report = await Promise.race([
      once(thread, 'message', { signal }).then(([message]) => message as Report),
      once(thread, 'exit', { signal }).then(([code]): Report => {
        return {
          kind: 'refused',
          code: undefined,
          message: `the inference thread ended with code ${String(code)} while loading`,
        };
      }),
    ]);
    if (report.kind === 'loaded') return report.info;
    if (report.kind === 'refused' && report.code !== undefined) throw new ModelError(report.code, report.message);
    throw new EngineError(
      'engine_failed',
      report.kind === 'refused' ? report.message : 'the inference thread did not load',
    );
  } catch (error) {
    await thread.terminate();
    throw error;
  } finally {
    settled.abort();
  }
}
