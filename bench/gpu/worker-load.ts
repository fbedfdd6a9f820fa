import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEngine } from '@svc-asr/worker';
import type { Context, Engine } from '@svc-asr/worker';
import { MODEL, ownPrefix } from '../../test/support/gateway.ts';
import { DURABLE, startRedis } from '../../test/support/redis.ts';
import { ticketKeyFiles } from '../../test/support/ticket-keys.ts';
import { startWorker } from '../../test/support/worker.ts';
import { readUsage } from '../relay/usage.ts';
import { chooseControls, transcribeControls } from './controls.ts';
import type { Control } from './controls.ts';
import { LOOKBACK_SAMPLES } from './crowd.ts';
import type { GeneratorOptions, GeneratorResult } from './generator.ts';
import { addFigures, describeLoad, figuresOf, summarize, sumOf } from './load-summary.ts';
import type { GpuOptions } from './options.ts';
import { growsBacklog } from './percentiles.ts';
import { joinSpeech, readRecordings } from './speech.ts';
import { busyThreads, readThreadUsage } from './thread-usage.ts';
import { shareOf } from './turns.ts';

/** Time before the measurement, during which streams open. */
const WARM_SECONDS = 15;
const FRAME_MS = 100;
const CHUNK_SAMPLES = 1280;
/** Longest time that a worker on a GPU takes to warm up and measure its slots. */
export const READY_WITHIN_MS = 180_000;

/** Returns the settings that a worker on a GPU needs in addition to those that `startWorker` sets. */
export function gpuWorkerSettings(options: GpuOptions, modelDir: string): NodeJS.ProcessEnv {
  const { LD_LIBRARY_PATH, CUDA_VISIBLE_DEVICES } = process.env;
  return {
    ...(LD_LIBRARY_PATH === undefined ? {} : { LD_LIBRARY_PATH }),
    ...(CUDA_VISIBLE_DEVICES === undefined ? {} : { CUDA_VISIBLE_DEVICES }),
    MODEL_DIR: modelDir,
    PROVIDER: options.provider,
    // With 0, the worker chooses or measures the value itself.
    SLOTS: options.provider === 'cpu' ? '64' : '0',
    MAX_BATCH: '0',
    IO_THREADS: options.provider === 'cpu' ? '2' : '0',
  };
}

/**
 * Runs a worker as a process, and streams to it from several other processes. Adds the figures of each run separately.
 */
export async function measureWorker(
  options: GpuOptions,
  modelDir: string,
  figures: Record<string, number>,
  logProgress: (line: string) => void,
): Promise<void> {
  const context: Context = options.context ?? [56, 13];
  const controls = await referenceControls(options, modelDir, context);
  const redis = await startRedis(DURABLE);
  try {
    const prefix = ownPrefix();
    const startedMs = performance.now();
    const settings = gpuWorkerSettings(options, modelDir);
    const worker = await startWorker(redis.url, prefix, settings, { readyWithinMs: READY_WITHIN_MS });
    logProgress(`worker: ready after ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
    try {
      const load: Load = { redisUrl: redis.url, prefix, modelDir, context, controls, workerPid: worker.pid };
      for (let run = 1; run <= options.runs; run++) {
        await measureRun(load, options, `worker_run_${run}`, figures, logProgress);
      }
    } finally {
      await worker.stop('SIGKILL');
    }
  } finally {
    await redis.stop();
  }
}

/** Returns utterances with the transcripts that the GPU graphs return for them in 32 bits on the CPU. */
async function referenceControls(options: GpuOptions, modelDir: string, context: Context): Promise<Control[]> {
  const speech = joinSpeech(readRecordings(modelDir));
  const chosen = chooseControls(speech.length, (context[1] + 1) * CHUNK_SAMPLES, LOOKBACK_SAMPLES);
  let engine: Engine | undefined;
  const start = async (): Promise<Engine> => {
    const threads = Math.max(1, cpus().length - 2);
    return (engine = await startEngine({ modelDir, threads, gpuGraphs: true, slots: 32, maxBatch: 32 }));
  };
  const name = modelDir.split('/').at(-1) ?? '';
  const controls = await transcribeControls(start, name, context, speech, chosen, options.cache);
  await engine?.close();
  return controls;
}

interface Load {
  readonly redisUrl: string;
  readonly prefix: string;
  readonly modelDir: string;
  readonly context: Context;
  readonly controls: readonly Control[];
  readonly workerPid: number;
}

async function measureRun(
  { redisUrl, prefix, modelDir, context, controls, workerPid }: Load,
  { workerStreams, generators, seconds }: GpuOptions,
  label: string,
  figures: Record<string, number>,
  logProgress: (line: string) => void,
): Promise<void> {
  const results = Array.from({ length: generators }, (_, i) =>
    runGenerator({
      redisUrl,
      prefix,
      ticketKeyFile: ticketKeyFiles().keyFile,
      model: MODEL,
      modelDir,
      context: [...context],
      controls,
      streams: shareOf(workerStreams, i, generators),
      seconds,
      warmSeconds: WARM_SECONDS,
      frameMs: FRAME_MS,
    }),
  );
  const usage = measureUsage(workerPid, seconds);
  const done = await Promise.all(results);
  const { cores, threads } = await usage;
  const summary = summarize(done);
  logProgress(`${label}: ${workerStreams} streams from ${generators} processes, ${describeLoad(summary)}`);
  logProgress(
    `  worker: ${cores.toFixed(2)} cores; ${threads.map((one) => `${one.name} ${one.cores.toFixed(2)}`).join(', ')}`,
  );
  addFigures(figures, label, {
    streams: workerStreams,
    ...figuresOf(summary, seconds),
    growing_backlogs: growsBacklog(summary.quarters) ? 1 : 0,
    worker_cores: cores,
    generator_cores: sumOf(done, ({ cpuSeconds }) => cpuSeconds) / seconds,
  });
}

/** Measures the CPU time of the worker in the middle of the run. */
async function measureUsage(pid: number, seconds: number) {
  await sleep(WARM_SECONDS * 1000 + 1000);
  const [before, threads] = [readUsage(pid), readThreadUsage(pid)];
  const measuredMs = Math.max(1000, (seconds - 2) * 1000);
  await sleep(measuredMs);
  const cores = ((readUsage(pid).cpuSeconds - before.cpuSeconds) * 1000) / measuredMs;
  return { cores, threads: busyThreads(threads, readThreadUsage(pid), measuredMs / 1000) };
}

async function runGenerator(options: GeneratorOptions): Promise<GeneratorResult> {
  const child = fork(fileURLToPath(new URL('generator.ts', import.meta.url)), { serialization: 'advanced' });
  child.send(options);
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`a generator ended with code ${String(code)}`);
  });
  exited.catch(() => undefined);
  const [result] = (await Promise.race([once(child, 'message'), exited])) as [GeneratorResult];
  return result;
}
