import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { MAX_ALTERNATIVES } from '../decode/candidates.ts';
import { ModelError } from '../model/error.ts';
import { readManifest } from '../model/files.ts';
import { supportsGpuGraphs } from '../model/manifest.ts';
import { Engine } from './engine.ts';
import { EngineError } from './error.ts';
import type { ModelInfo, Report, ThreadOptions } from './protocol.ts';
import { createSharedBuffers } from './shared.ts';
import { WHOLE_MACHINE } from './share.ts';
import type { MachineShare } from './share.ts';

/** Options of an engine. */
export interface EngineOptions {
  /** Model folder with manifest.json and the files that the manifest lists. */
  readonly modelDir: string;
  /** Execution provider: `cpu` (default), `cuda`, or another provider that onnxruntime supports. */
  readonly provider?: string;
  /** Number of threads that compute one run. 1 by default. */
  readonly threads?: number;
  /** Number of streams that can be open at the same time. Measured at warm-up by default. */
  readonly slots?: number;
  /** Upper limit of the measured number of slots. 1024 by default, and 32,768 with GPU graphs. */
  readonly maxSlots?: number;
  /**
   * Whether the GPU graphs of the model are used, which keep the state of streams on the device. By default true on
   * CUDA if the model has GPU graphs.
   */
  readonly gpuGraphs?: boolean;
  /**
   * Maximum duration of the measurement of slots at warm-up. 20 s by default. If no other process uses the cores, the
   * measurement takes only a fifth of this time. With 0, every context is run only a few times.
   */
  readonly measureMs?: number;
  /** Largest number of streams in one run. By default 512 with GPU graphs, 16 on a CPU and 64 elsewhere. */
  readonly maxBatch?: number;
  /**
   * Whether every batch is padded to the largest size. The default is false on a CPU and true on other providers. GPU
   * graphs ignore this option.
   */
  readonly paddedBatches?: boolean;
  /**
   * Share of the measured capacity for which the engine offers slots. By default 0.8 on a CPU and 0.85 elsewhere. The
   * remaining capacity absorbs bursts.
   */
  readonly utilization?: number;
  /** Part of the machine that this engine may use. The default is the whole machine. */
  readonly share?: MachineShare;
  /** Number of alternatives with log-probabilities that finals report for each piece. At most 8, and 0 by default. */
  readonly alternatives?: number;
  /** Number of threads that serve streams in addition to the main thread. 0 by default. */
  readonly ioThreads?: number;
}

/**
 * Loads a model in an inference thread and warms the model up. Resolves when the engine can accept streams. Throws a
 * ModelError that names the problem if the model cannot be used. Throws a RangeError if an option is out of range, and
 * an EngineError if the thread fails for another reason.
 */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  for (const name of ['threads', 'slots', 'maxSlots', 'maxBatch'] as const) checkCount(name, options[name]);
  const { alternatives = 0 } = options;
  if (!Number.isInteger(alternatives) || alternatives < 0 || alternatives > MAX_ALTERNATIVES) {
    throw new RangeError(`alternatives is ${alternatives}; set a whole number from 0 to ${MAX_ALTERNATIVES}`);
  }
  const provider = options.provider ?? 'cpu';
  const gpuGraphs = options.gpuGraphs ?? (provider === 'cuda' && (await hasGpuGraphs(options.modelDir)));
  const maxSlots = options.maxSlots ?? (gpuGraphs ? 32_768 : 1024);
  const workerData: ThreadOptions = {
    modelDir: options.modelDir,
    provider,
    gpuGraphs,
    threads: options.threads ?? 1,
    slots: options.slots,
    maxSlots,
    measureMs: options.measureMs ?? 20_000,
    // A batch cannot contain more streams than there are slots. A larger maximum would only add padding to runs.
    maxBatch: Math.min(options.maxBatch ?? defaultBatch(provider, gpuGraphs), options.slots ?? maxSlots),
    alternatives,
    paddedBatches: options.paddedBatches ?? provider !== 'cpu',
    utilization: options.utilization ?? defaultUtilization(provider),
    share: options.share ?? WHOLE_MACHINE,
  };
  // Tests run the TypeScript sources. Services run the compiled files.
  const entry = import.meta.url.endsWith('.ts') ? './thread.ts' : './thread.js';
  const thread = new Worker(new URL(entry, import.meta.url), { workerData, name: 'inference' });
  const info = await loaded(thread);
  return new Engine(thread, info, createSharedBuffers(info.slots), options.ioThreads);
}

/** Returns the default of the option `utilization`. */
export function defaultUtilization(provider: string): number {
  return provider === 'cpu' ? 0.8 : 0.85;
}

/** Throws if an option is set and is not a whole number of at least 1. */
function checkCount(name: string, value: number | undefined): void {
  if (value === undefined || (Number.isInteger(value) && value >= 1)) return;
  throw new RangeError(`${name} is ${value}; set a whole number of at least 1, or leave it out`);
}

function defaultBatch(provider: string, gpuGraphs: boolean): number {
  if (gpuGraphs) return 512;
  return provider === 'cpu' ? 16 : 64;
}

/**
 * Returns whether the worker can run the GPU graphs of a model folder. Returns false if the manifest cannot be read.
 * The inference thread then reports this error when it loads the model.
 */
async function hasGpuGraphs(folder: string): Promise<boolean> {
  try {
    return supportsGpuGraphs(await readManifest(folder));
  } catch {
    return false;
  }
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
      report.kind === 'refused' ? report.message : 'the inference thread sent events before it had loaded the model',
    );
  } catch (error) {
    await thread.terminate();
    throw error;
  } finally {
    settled.abort();
  }
}
