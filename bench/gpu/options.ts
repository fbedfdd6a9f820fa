import { join } from 'node:path';
import type { Context } from '@svc-asr/worker';
import { root, userPath } from '../../tools/launch/terminal.mjs';

/** Parts of the benchmark, in the order of README.md. They do not run in this order. */
export const PARTS = [
  'agreement',
  'endpoints',
  'engine',
  'plain',
  'old',
  'short',
  'guests',
  'worker',
  'service',
] as const;
export type Part = (typeof PARTS)[number];

/** Parts, models and load of the benchmark. */
export interface GpuOptions {
  readonly parts: readonly Part[];
  /** Execution provider. With `cpu`, the benchmark can be tried on a machine without a GPU. */
  readonly provider: string;
  /** Model folders. */
  readonly models: readonly string[];
  /** Folders of the models that share a process in the part `guests`. */
  readonly guests: readonly string[];
  /**
   * Context of the streams. If it is undefined, the parts `plain` and `worker` use 56,13, and all other parts use the
   * first context of the model.
   */
  readonly context: Context | undefined;
  /** Duration of the measurement of a run, in seconds. */
  readonly seconds: number;
  /** Number of runs under load. */
  readonly runs: number;
  /** Whether an additional run follows in which the chunks of all streams end at the same time. */
  readonly inPhase: boolean;
  /** Number of streams in the part `engine`. If it is undefined, each slot of the engine has a stream. */
  readonly streams: number | undefined;
  readonly workerStreams: number;
  readonly serviceStreams: number;
  readonly shortStreams: number;
  readonly shortSeconds: number;
  /**
   * Number of threads that generate load for the engine, and of processes that generate load for the worker. Each
   * process has its own connections, like a gateway.
   */
  readonly generators: number;
  readonly gateways: number;
  /** Number of k6 processes for each gateway. */
  readonly k6PerGateway: number;
  /** Batch sizes that the part `plain` measures. */
  readonly batches: readonly number[];
  /** Export that the part `plain` also runs. */
  readonly exportFile: string | undefined;
  /** Folder in which expected transcripts are kept between runs. Undefined to compute them each time. */
  readonly cache: string | undefined;
  /**
   * Whether expected transcripts are computed in 32 bits on the CPU. Otherwise, the measured engine computes them
   * before it has load. The part `worker` always uses the CPU.
   */
  readonly exact: boolean;
}

export type Size = 'quick' | 'usual' | 'full';

/** Duration and number of the runs under load, and duration of the part with short streams, in seconds. */
const SIZES: Record<Size, { seconds: number; runs: number; shortSeconds: number }> = {
  quick: { seconds: 20, runs: 1, shortSeconds: 20 },
  usual: { seconds: 60, runs: 1, shortSeconds: 60 },
  full: { seconds: 120, runs: 3, shortSeconds: 600 },
};
const KIKUYU = join(root, 'worker/models/svc-asr-kikuyu-v1');
const DHOLUO = join(root, 'worker/models/svc-asr-dholuo-v1');

/** Reads the options from environment variables. README.md describes them. */
export function readGpuOptions(env: Readonly<Record<string, string | undefined>>, size: Size): GpuOptions {
  const { seconds, runs, shortSeconds } = SIZES[size];
  const number = (name: string, fallback: number): number => readNumber(name, env[name]) ?? fallback;
  return {
    parts: readParts(env.GPU_PARTS),
    provider: env.GPU_PROVIDER ?? 'cuda',
    models: env.GPU_MODELS === undefined ? [KIKUYU] : list(env.GPU_MODELS).map(userPath),
    guests: env.GPU_GUESTS === undefined ? [KIKUYU, DHOLUO] : list(env.GPU_GUESTS).map(userPath),
    context: env.GPU_CONTEXT === undefined ? undefined : readContext(env.GPU_CONTEXT),
    seconds: number('GPU_SECONDS', seconds),
    runs: number('GPU_RUNS', runs),
    inPhase: env.GPU_IN_PHASE !== '0',
    streams: readNumber('GPU_STREAMS', env.GPU_STREAMS),
    workerStreams: number('GPU_WORKER_STREAMS', 5000),
    serviceStreams: number('GPU_SERVICE_STREAMS', 2000),
    shortStreams: number('GPU_SHORT_STREAMS', 4000),
    shortSeconds: number('GPU_SHORT_SECONDS', shortSeconds),
    generators: number('GPU_GENERATORS', 4),
    gateways: number('GPU_GATEWAYS', 2),
    k6PerGateway: number('GPU_K6_PER_GATEWAY', 2),
    batches: list(env.GPU_BATCHES ?? '32,128,256').map((text) => readNumber('GPU_BATCHES', text) ?? 1),
    exportFile: env.GPU_EXPORT === undefined ? undefined : userPath(env.GPU_EXPORT),
    cache: env.GPU_CACHE === undefined ? undefined : userPath(env.GPU_CACHE),
    exact: env.GPU_EXACT !== '0',
  };
}

const list = (text: string): string[] => text.split(',').filter((part) => part !== '');

function readParts(text: string | undefined): readonly Part[] {
  if (text === undefined) return PARTS;
  return list(text).map((name) => {
    const part = PARTS.find((known) => known === name);
    if (part === undefined) throw new Error(`GPU_PARTS names "${name}"; choose from ${PARTS.join(', ')}`);
    return part;
  });
}

function readContext(text: string): Context {
  const [left, right] = text.split(',').map((part) => readNumber('GPU_CONTEXT', part) ?? NaN);
  if (left === undefined || right === undefined) throw new Error(`GPU_CONTEXT=${text} is not of the form LEFT,RIGHT`);
  return [left, right];
}

function readNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(number)) throw new Error(`${name}=${text} is not a whole number`);
  return number;
}
