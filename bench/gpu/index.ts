/**
 * Measures the engine on a GPU: agreement with the CPU engine, and the number of real-time streams that it holds.
 * README.md lists what the machine needs. `GPU_MODELS` names other model folders, separated by commas.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEngine } from '@svc-asr/worker';
import type { Context, Engine } from '@svc-asr/worker';
import { compareRecordings, compareSamples } from './agreement.ts';
import type { Recording } from './agreement.ts';
import { runCrowd } from './crowd.ts';
import type { CrowdResult } from './crowd.ts';

const MODELS = fileURLToPath(new URL('../../worker/models', import.meta.url));
const WAV_HEADER_BYTES = 44;
/** Seconds and number of the runs under load. */
const RUNS = { quick: [20, 1], usual: [60, 1], full: [120, 3] } as const;

interface BenchOptions {
  logProgress: (line: string) => void;
  size?: keyof typeof RUNS;
}

/** Returns nothing on a machine without a usable GPU. */
export async function bench({ logProgress, size = 'usual' }: BenchOptions) {
  const figures: Record<string, number> = {};
  const ratios: Record<string, number> = {};
  const folders = process.env.GPU_MODELS?.split(',') ?? [join(MODELS, 'svc-asr-kikuyu-v1')];
  for (const modelDir of folders) {
    let engine: Engine;
    try {
      engine = await startEngine({ modelDir, provider: 'cuda' });
    } catch (error) {
      logProgress(`the GPU cannot be measured here: ${error instanceof Error ? error.message : String(error)}`);
      return { ratios, figures };
    }
    const name = engine.info.model;
    logProgress(`${name}: ${engine.info.slots} slots, ${cpus().length} cores`);
    for (const { context, realTimeFactor } of engine.info.contexts) {
      logProgress(`${name} [${context.join()}]: capacity of ${Math.floor(1 / realTimeFactor)} streams`);
      figures[`${name}_${context.join('_')}_capacity`] = Math.floor(1 / realTimeFactor);
    }
    figures[`${name}_slots`] = engine.info.slots;
    const recordings = readRecordings(join(modelDir, 'eval'));
    // The same graphs on the CPU compute in 32 bits.
    const threads = Math.max(1, cpus().length - 4);
    const exact = await startEngine({ modelDir, threads, gpuGraphs: true, slots: 32, maxBatch: 32 });
    const cpu = await startEngine({ modelDir, threads, slots: 32, measureMs: 0 });
    try {
      await measureAgreement(engine, { exact, cpu }, recordings, figures, logProgress);
      await measureLoad(engine, exact, recordings, RUNS[size], figures, logProgress);
    } finally {
      await engine.close();
      await exact.close();
      await cpu.close();
    }
  }
  return { ratios, figures };
}

async function measureAgreement(
  engine: Engine,
  { exact, cpu }: { exact: Engine; cpu: Engine },
  recordings: readonly Recording[],
  figures: Record<string, number>,
  logProgress: (line: string) => void,
): Promise<void> {
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
  logProgress(`${compared - different} of ${compared} transcripts equal those in 32 bits`);
  figures[`${engine.info.model}_compared_transcripts`] = compared;
  figures[`${engine.info.model}_different_transcripts`] = different;
}

async function measureLoad(
  engine: Engine,
  exact: Engine,
  recordings: readonly Recording[],
  [seconds, runs]: readonly [number, number],
  figures: Record<string, number>,
  logProgress: (line: string) => void,
): Promise<void> {
  const speech = joined(recordings);
  const context: Context = engine.info.contexts[0]?.context ?? [0, 0];
  const streams = Number(process.env.GPU_STREAMS ?? engine.info.slots);
  for (let run = 0; run <= runs; run++) {
    const inPhase = run === runs;
    const before = engine.stats;
    const result = await runCrowd({ engine, context, streams, seconds, speech, inPhase });
    const { runs: count, windows, runCpuMs, runMs } = engine.stats;
    const batches = count - before.runs;
    const differences = await compareSamples(exact, context, speech, result.samples);
    const label = `${engine.info.model}${inPhase ? '_in_phase' : `_run_${run + 1}`}`;
    logProgress(`${label}: ${describe(result)}`);
    logProgress(
      `  ${batches} batches of ${((windows - before.windows) / batches).toFixed(0)} windows, ` +
        `${((runMs - before.runMs) / batches).toFixed(1)} ms each, host ${((runCpuMs - before.runCpuMs) / batches).toFixed(2)} ms; ` +
        `${differences.length} of ${result.samples.length} sampled transcripts differ from 32 bits`,
    );
    figures[`${label}_streams`] = result.streams;
    figures[`${label}_windows_per_second`] = result.windows / seconds;
    figures[`${label}_latency_p50_ms`] = result.latencyMs.p50;
    figures[`${label}_latency_p95_ms`] = result.latencyMs.p95;
    figures[`${label}_latency_p99_ms`] = result.latencyMs.p99;
    figures[`${label}_final_p95_ms`] = result.finalMs.p95;
    figures[`${label}_failures`] = result.failures.length;
    figures[`${label}_sampled_transcripts`] = result.samples.length;
    figures[`${label}_different_samples`] = differences.length;
  }
}

function describe({ streams, windows, finals, opened, failures, ...times }: CrowdResult): string {
  const { latencyMs, finalMs, generatorLagMs, firstQuarterP95Ms, lastQuarterP95Ms } = times;
  return (
    `${streams} streams, ${windows} windows, ${finals} finals, ${opened} opened, ${failures.length} failed ${failures[0] ?? ''}; ` +
    `latency p50 ${latencyMs.p50.toFixed(1)} p95 ${latencyMs.p95.toFixed(1)} p99 ${latencyMs.p99.toFixed(1)} ms, ` +
    `first quarter p95 ${firstQuarterP95Ms.toFixed(1)}, last ${lastQuarterP95Ms.toFixed(1)}; ` +
    `finals p95 ${finalMs.p95.toFixed(1)} ms; generator late by p95 ${generatorLagMs.p95.toFixed(1)} ms`
  );
}

function readRecordings(folder: string): Recording[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.wav'))
    .map((name) => {
      const bytes = readFileSync(join(folder, name)).subarray(WAV_HEADER_BYTES);
      const samples = Int16Array.from({ length: bytes.length >> 1 }, (_, i) => bytes.readInt16LE(i * 2));
      return { name, samples, text: readFileSync(join(folder, name.replace(/wav$/, 'txt')), 'utf8').trim() };
    });
}

/** Joins recordings into speech that is long enough for every utterance. */
function joined(recordings: readonly Recording[]): Int16Array {
  const speech = new Int16Array(recordings.reduce((sum, { samples }) => sum + samples.length, 0));
  let at = 0;
  for (const { samples } of recordings) {
    speech.set(samples, at);
    at += samples.length;
  }
  return speech;
}
