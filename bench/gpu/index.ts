/**
 * Measures the engine on a GPU, the worker over its connections, and the whole service. README.md lists the parts,
 * their options and what the machine needs.
 */
import { existsSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { startEngine } from '@svc-asr/worker';
import type { Context, Engine } from '@svc-asr/worker';
import { compareRecordings } from './agreement.ts';
import { chooseControls, transcribeControls } from './controls.ts';
import type { Control } from './controls.ts';
import { LOOKBACK_SAMPLES } from './crowd.ts';
import { compareEndpoints } from './endpoints.ts';
import { measureLoad } from './engine-load.ts';
import { compareGuests } from './guests.ts';
import { readGpuOptions } from './options.ts';
import type { GpuOptions, Size } from './options.ts';
import { measurePlain } from './plain.ts';
import { measureService } from './service-load.ts';
import { runShortStreams } from './short-streams.ts';
import { joinSpeech, readRecordings } from './speech.ts';
import type { Recording } from './speech.ts';
import { measureWorker } from './worker-load.ts';

interface BenchOptions {
  logProgress: (line: string) => void;
  size?: Size;
}

/** Values that all parts of the benchmark share for one model. */
interface Setting {
  readonly options: GpuOptions;
  readonly modelDir: string;
  readonly recordings: readonly Recording[];
  readonly figures: Record<string, number>;
  readonly logProgress: (line: string) => void;
}

/**
 * Engine options with which the benchmark can be tried on a machine without a GPU. The engine then runs the same graphs
 * as on a GPU.
 */
const TRIAL = { gpuGraphs: true, slots: 64, maxBatch: 8 };

/**
 * Runs the chosen parts. Returns the figures so far if `measureEngine` cannot start its engine, for example without a
 * usable GPU.
 */
export async function bench({ logProgress, size = 'usual' }: BenchOptions) {
  const figures: Record<string, number> = {};
  const ratios: Record<string, number> = {};
  const options = readGpuOptions(process.env, size);
  for (const modelDir of options.models) {
    const setting = { options, modelDir, recordings: readRecordings(modelDir), figures, logProgress };
    const problem = await measureEngine(setting);
    if (problem !== undefined) {
      logProgress(`the GPU cannot be measured here: ${problem}`);
      return { ratios, figures };
    }
    await measureOthers(setting);
  }
  if (options.parts.includes('guests')) await measureGuests(options, figures, logProgress);
  return { ratios, figures };
}

/** Runs the parts that share one engine in this process. If the engine cannot be started, returns the reason. */
async function measureEngine(setting: Setting): Promise<string | undefined> {
  const { options, modelDir, recordings, figures, logProgress } = setting;
  const { parts, provider } = options;
  if (!['agreement', 'endpoints', 'engine', 'short'].some((part) => parts.some((chosen) => chosen === part)))
    return undefined;
  let engine: Engine;
  try {
    const ioThreads = options.generators;
    engine = await startEngine({ modelDir, provider, ioThreads, ...(provider === 'cpu' ? TRIAL : {}) });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  try {
    reportCapacity(engine, setting);
    const context = contextOf(engine, options);
    const speech = joinSpeech(recordings);
    if (parts.includes('agreement') && hasCpuGraphs(modelDir)) await measureAgreement(engine, setting);
    if (parts.includes('endpoints')) await measureEndpoints(engine, setting);
    if (parts.includes('engine')) {
      const controls = await findControls(engine, context, speech, setting);
      await measureLoad({ engine, context, speech, controls, figures, logProgress }, options);
    }
    if (parts.includes('short')) await measureShortStreams(engine, context, speech, setting);
  } finally {
    await engine.close();
  }
  return undefined;
}

/** Runs the parts that `measureEngine` does not run, except for `guests`. */
async function measureOthers({ options, modelDir, figures, logProgress }: Setting): Promise<void> {
  const { parts, provider } = options;
  const context = options.context ?? [56, 13];
  if (parts.includes('plain')) {
    for (const { graph, batch, runMs, streams } of await measurePlain(modelDir, context, options)) {
      logProgress(`plain loop, ${graph}, batch of ${batch}: ${runMs.toFixed(1)} ms, ${streams} streams`);
      figures[`plain_${graph}_batch_${batch}_ms`] = runMs;
      figures[`plain_${graph}_batch_${batch}_streams`] = streams;
    }
  }
  if (parts.includes('old') && hasCpuGraphs(modelDir)) {
    const engine = await startEngine({ modelDir, provider, gpuGraphs: false, maxSlots: 8192, measureMs: 5000 });
    for (const { context: one, realTimeFactor } of engine.info.contexts) {
      const streams = Math.floor(1 / realTimeFactor);
      logProgress(`engine without GPU graphs [${one.join()}]: capacity of ${streams} streams`);
      figures[`old_engine_${one.join('_')}_capacity`] = streams;
    }
    await engine.close();
  }
  if (parts.includes('worker')) await measureWorker(options, modelDir, figures, logProgress);
  if (parts.includes('service')) await measureService(options, modelDir, figures, logProgress);
}

function reportCapacity({ info }: Engine, { figures, logProgress }: Setting): void {
  logProgress(`${info.model}: ${info.slots} slots, ${cpus().length} cores`);
  figures[`${info.model}_slots`] = info.slots;
  for (const { context, realTimeFactor } of info.contexts) {
    logProgress(`${info.model} [${context.join()}]: capacity of ${Math.floor(1 / realTimeFactor)} streams`);
    figures[`${info.model}_${context.join('_')}_capacity`] = Math.floor(1 / realTimeFactor);
  }
}

/** Returns whether the CPU engine can run a model. Models with random weights have only GPU graphs. */
const hasCpuGraphs = (modelDir: string): boolean => existsSync(join(modelDir, 'model.onnx'));

function contextOf({ info }: Engine, { context }: GpuOptions): Context {
  return context ?? info.contexts[0]?.context ?? [0, 0];
}

/**
 * Transcribes the controls with the engine before it has load. With `exact`, also transcribes them in 32 bits on the
 * CPU.
 */
async function findControls(
  engine: Engine,
  context: Context,
  speech: Int16Array,
  { options, modelDir, logProgress }: Setting,
): Promise<Control[]> {
  const known = engine.info.contexts.find((entry) => entry.context.join() === context.join());
  if (known === undefined) throw new Error(`the model has no context ${context.join()}`);
  const chosen = chooseControls(speech.length, known.chunkSamples, LOOKBACK_SAMPLES);
  let exact: Engine | undefined;
  const start = async (): Promise<Engine> => {
    logProgress(`  transcribing ${chosen.length} utterances in 32 bits`);
    const threads = Math.max(1, cpus().length - 2);
    return (exact = await startEngine({ modelDir, threads, gpuGraphs: true, slots: 32, maxBatch: 32 }));
  };
  const { model } = engine.info;
  const alone = await transcribeControls(() => Promise.resolve(engine), model, context, speech, chosen, undefined);
  if (!options.exact) return alone.map((control) => ({ ...control, alone: control.text }));
  const controls = await transcribeControls(start, model, context, speech, chosen, options.cache);
  await exact?.close();
  return controls.map((control, i) => ({ ...control, alone: alone[i]?.text ?? '' }));
}

async function measureAgreement(engine: Engine, setting: Setting): Promise<void> {
  const { modelDir, recordings, figures, logProgress } = setting;
  // `exact` runs the GPU graphs on the CPU, where they compute in 32 bits.
  const threads = Math.max(1, cpus().length - 4);
  const exact = await startEngine({ modelDir, threads, gpuGraphs: true, slots: 32, maxBatch: 32 });
  const cpu = await startEngine({ modelDir, threads, slots: 32, measureMs: 0 });
  let [compared, different] = [0, 0];
  for (const { context } of engine.info.contexts) {
    const result = await compareRecordings(engine, exact, context, recordings);
    const shipped = await compareRecordings(engine, cpu, context, recordings);
    logProgress(
      `[${context.join()}]: ${result.differences.length} of ${result.compared} transcripts differ from 32 bits, ` +
        `${shipped.differences.length} from the CPU engine; word error rate ${result.wordErrorRate.toFixed(2)} %, ` +
        `in 32 bits ${result.expectedWordErrorRate.toFixed(2)}, CPU engine ${shipped.expectedWordErrorRate.toFixed(2)}`,
    );
    compared += result.compared;
    different += result.differences.length;
    for (const { name, expected, actual } of result.differences) {
      logProgress(`  ${name}: "${expected}" in 32 bits, "${actual}" on the GPU`);
    }
    const label = `${engine.info.model}_${context.join('_')}`;
    figures[`${label}_word_error_rate`] = result.wordErrorRate;
    figures[`${label}_word_error_rate_32_bits`] = result.expectedWordErrorRate;
    figures[`${label}_word_error_rate_cpu_engine`] = shipped.expectedWordErrorRate;
  }
  await exact.close();
  await cpu.close();
  logProgress(`${compared - different} of ${compared} transcripts equal those in 32 bits`);
  figures[`${engine.info.model}_compared_transcripts`] = compared;
  figures[`${engine.info.model}_different_transcripts`] = different;
}

async function measureEndpoints(engine: Engine, { recordings, figures, logProgress }: Setting): Promise<void> {
  const { cuts, different } = await compareEndpoints(engine, recordings);
  logProgress(`endpointing: ${cuts} utterances cut, ${different} differ from flushes at the same samples`);
  figures[`${engine.info.model}_endpoints`] = cuts;
  figures[`${engine.info.model}_endpoints_different`] = different;
}

async function measureGuests(
  { guests: models, provider }: GpuOptions,
  figures: Record<string, number>,
  logProgress: (line: string) => void,
): Promise<void> {
  const engine = provider === 'cpu' ? TRIAL : {};
  const { compared, different, memory } = await compareGuests({ models, provider, engine, logProgress });
  logProgress(`guests: ${different} of ${compared} transcripts differ; device memory ${memory.join(', ')} MiB`);
  figures.guests_compared = compared;
  figures.guests_different = different;
  const [first, last] = [memory[0], memory.at(-1)];
  if (first !== undefined && last !== undefined) figures.guests_device_memory_growth_mib = last - first;
}

async function measureShortStreams(
  engine: Engine,
  context: Context,
  speech: Int16Array,
  { options, figures, logProgress }: Setting,
): Promise<void> {
  const { shortStreams: speakers, shortSeconds: seconds } = options;
  const result = await runShortStreams({ engine, context, speech, speakers, seconds, logProgress });
  const { memory } = result;
  logProgress(
    `short streams: ${result.opened} opened, ${result.finals} finals, ${result.failed} failed, ` +
      `${result.different} differ from the same audio alone; ${result.freeSlots} of ${engine.info.slots} slots free` +
      (memory === undefined ? '' : `; device memory ${memory.start}, at most ${memory.peak}, ${memory.end} MiB`),
  );
  const label = `${engine.info.model}_short`;
  figures[`${label}_seconds`] = seconds;
  figures[`${label}_opened`] = result.opened;
  figures[`${label}_finals`] = result.finals;
  figures[`${label}_failed`] = result.failed;
  figures[`${label}_different`] = result.different;
  figures[`${label}_leaked_slots`] = engine.info.slots - result.freeSlots;
  if (memory !== undefined) figures[`${label}_device_memory_growth_mib`] = memory.end - memory.start;
}
