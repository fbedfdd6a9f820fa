import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chunkMs } from '@svc-asr/core';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { Context } from '@svc-asr/worker';
import { readOnnx } from '../../worker/src/model/onnx.ts';
import type { GpuOptions } from './options.ts';

/**
 * A graph that is run without our engine. Every run gets all of its inputs from the host and returns all of its
 * outputs.
 */
interface PlainGraph {
  readonly file: string;
  /** Builds the inputs of the first run. */
  buildFeeds: (batch: number) => Record<string, Tensor>;
}

/** Result of one batch size. */
export interface PlainResult {
  readonly graph: string;
  readonly batch: number;
  readonly runMs: number;
  /** Number of real-time streams that the loop could serve if it did nothing else. */
  readonly streams: number;
}

const SUBSAMPLING = 8;
/** Number of runs before the measurement, lowest and highest number of measured runs, and time limit of all runs. */
const [WARM_RUNS, MIN_RUNS, MAX_RUNS, LIMIT_MS] = [3, 3, 30, 3000];

/**
 * Measures a loop that calls onnxruntime-node without an engine. The loop does not compute features, collect batches or
 * build transcripts. It runs the GPU graph of a model folder and, if `exportFile` is given, the graph of this export.
 */
export async function measurePlain(
  modelDir: string,
  context: Context,
  { provider, batches, exportFile }: Pick<GpuOptions, 'provider' | 'batches' | 'exportFile'>,
): Promise<PlainResult[]> {
  // If the JavaScript engine has Float16Array, the JavaScript part of onnxruntime-node 1.30 uses it for 16-bit values.
  // The native part cannot read a Float16Array. Without Float16Array, the JavaScript part uses Uint16Array, which
  // works.
  Reflect.deleteProperty(globalThis, 'Float16Array');
  const graphs = {
    gpu_graph: gpuGraph(join(modelDir, 'gpu', `${context.join('-')}.onnx`)),
    ...(exportFile !== undefined && { export: exported(exportFile, context) }),
  };
  const results: PlainResult[] = [];
  for (const [graph, { file, buildFeeds }] of Object.entries(graphs)) {
    if (graph === 'gpu_graph' && !existsSync(file)) continue;
    const session = await InferenceSession.create(file, { executionProviders: [provider], logSeverityLevel: 3 });
    for (const batch of batches) {
      const runMs = await measureRuns(session, buildFeeds(batch));
      results.push({ graph, batch, runMs, streams: Math.floor((batch * chunkMs(context[1])) / runMs) });
    }
    await session.release();
  }
  return results;
}

/** Returns the median duration of a run. The state outputs of each run are the state inputs of the next one. */
async function measureRuns(session: InferenceSession, firstFeeds: Record<string, Tensor>): Promise<number> {
  const times: number[] = [];
  let feeds = firstFeeds;
  const startedMs = performance.now();
  for (let run = 0; run < WARM_RUNS + MAX_RUNS; run++) {
    const beforeMs = performance.now();
    const results = await session.run(feeds);
    if (run >= WARM_RUNS) times.push(performance.now() - beforeMs);
    const state = Object.entries(results)
      .map(([name, tensor]): [string, Tensor] => [stateName(name), tensor])
      .filter(([name]) => name in feeds);
    feeds = { ...feeds, ...Object.fromEntries(state) };
    if (times.length >= MIN_RUNS && performance.now() - startedMs > LIMIT_MS) break;
  }
  return times.toSorted((a, b) => a - b)[times.length >> 1] ?? NaN;
}

/**
 * Returns the name of the state input that corresponds to an output. Examples of such outputs are `keys_0_next` and
 * `cache_last_channel_next_len`.
 */
function stateName(output: string): string {
  return output.endsWith('_next_len') ? output.replace('_next_len', '_len') : output.replace(/_next$/, '');
}

/** An exported graph, which takes features as input. */
function exported(file: string, [left, right]: Context): PlainGraph {
  const frames = SUBSAMPLING * (right + 1) + SUBSAMPLING + 1;
  return {
    file,
    buildFeeds: (batch) => {
      const { metadata, dims } = readSizes(file);
      const [layers, width] = dims;
      const mels = Number(metadata.get('feat_dim') ?? 80);
      const tail = 8;
      return {
        audio_signal: floats([batch, mels, frames]),
        length: longs(batch, frames),
        cache_last_channel: floats([batch, layers, left, width]),
        cache_last_time: floats([batch, layers, width, tail]),
        cache_last_channel_len: longs(batch, left),
      };
    },
  };
}

/** Returns the metadata, the number of layers and the width of the exported graph. */
function readSizes(file: string): { metadata: ReadonlyMap<string, string>; dims: [number, number] } {
  const { metadata, tensors } = readOnnx(file, readFileSync(file));
  const layers = new Set([...tensors.keys()].flatMap((name) => /layers\.(\d+)\./.exec(name)?.[1] ?? [])).size;
  const bias = [...tensors].find(([name]) => name.endsWith('layers.0.norm_out.weight'))?.[1] ?? [];
  return { metadata, dims: [layers, bias[0] ?? 0] };
}

/**
 * A GPU graph. Our engine keeps the state of streams on the device. This benchmark instead copies the state to the
 * device and back in each run, like any other tensor.
 */
function gpuGraph(file: string): PlainGraph {
  return {
    file,
    buildFeeds: (batch) => {
      const { metadata } = readOnnx(file, readFileSync(file));
      const size = (name: string): number => Number(metadata.get(name));
      const [left, chunk, width, row] = [size('left'), size('right') + 1, size('width'), size('row')];
      const type = metadata.get('precision') === 'f16' ? 'float16' : 'float32';
      const pages = Math.ceil(left / chunk);
      const samples = (SUBSAMPLING * chunk + SUBSAMPLING) * 160 + 401;
      const rows = (frames: number): readonly number[] => [(frames * width) / row, row];
      // In GPU graphs, the first two pages and the first two tail slots are reserved. One of each pair contains zeros,
      // and the other is scratch memory.
      const page = (stream: number, at: number): number => (2 + stream * pages + at) * chunk;
      const each = (values: (stream: number) => readonly number[]): number[] =>
        Array.from({ length: batch }, (_, stream) => values(stream)).flat();
      const feeds: Record<string, Tensor> = {
        pcm: new Tensor('int16', Int16Array.from({ length: batch * samples }, noise), [batch, samples]),
        bounds: ints(
          each(() => [0, samples, 0, SUBSAMPLING * chunk + SUBSAMPLING + 1]),
          [batch, 4],
        ),
        past: ints(
          each((stream) => Array.from({ length: pages }, (_, at) => page(stream, at))),
          [batch, pages],
        ),
        page: ints(
          each((stream) => [page(stream, 0)]),
          [batch],
        ),
        tail_from: ints(
          each((stream) => [2 + stream]),
          [batch],
        ),
        tail_to: ints(
          each((stream) => [2 + stream]),
          [batch],
        ),
        filled: ints(
          each(() => [left]),
          [batch],
        ),
      };
      for (let layer = 0; layer < size('layers'); layer++) {
        for (const name of ['keys', 'values'])
          feeds[`${name}_${layer}`] = zeros(type, rows((2 + batch * pages) * chunk));
        feeds[`tails_${layer}`] = zeros(type, rows((2 + batch) * size('tail')));
      }
      return feeds;
    },
  };
}

const noise = (): number => Math.floor((Math.random() - 0.5) * 8000);
const count = (dims: readonly number[]): number => dims.reduce((product, dim) => product * dim, 1);
const ints = (values: readonly number[], dims: number[]): Tensor => new Tensor('int32', Int32Array.from(values), dims);

function floats(dims: readonly number[]): Tensor {
  return new Tensor(
    'float32',
    Float32Array.from({ length: count(dims) }, () => Math.random() - 0.5),
    dims,
  );
}

function longs(batch: number, value: number): Tensor {
  return new Tensor('int64', new BigInt64Array(batch).fill(BigInt(value)), [batch]);
}

function zeros(type: 'float16' | 'float32', dims: readonly number[]): Tensor {
  if (type === 'float32') return new Tensor('float32', new Float32Array(count(dims)), dims);
  return new Tensor('float16', new Uint16Array(count(dims)), dims);
}
