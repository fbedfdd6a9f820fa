import { dirname, join } from 'node:path';
import { windowSamples } from '../../features/framing.ts';
import { ModelError } from '../../model/error.ts';
import { readChecked, readManifest } from '../../model/files.ts';
import { contextKey } from '../../model/manifest.ts';
import type { Context, Manifest } from '../../model/manifest.ts';
import { readOnnx } from '../../model/onnx.ts';
import { parseTokens } from '../../model/tokens.ts';
import type { Vocabulary } from '../../model/tokens.ts';
import { arenaBytes, DeviceArenas } from '../../native/arenas.ts';
import { createCudaMemory } from '../../native/cuda.ts';
import { DeviceGraph, openGraph } from '../../native/graph.ts';
import type { OpenGraph } from '../../native/graph.ts';
import { createHostMemory } from '../../native/memory.ts';
import type { DeviceMemory } from '../../native/memory.ts';
import { NativeRuntime } from '../../native/runtime.ts';
import { SharedWeights } from '../../native/weights.ts';
import type { Backend, OnRun, Runner } from '../backend.ts';
import type { ContextShape } from '../context-shape.ts';
import { startSearch } from '../search.ts';
import type { Search } from '../search.ts';
import { layOutArenas } from './pages.ts';
import type { ArenaLayout, PageShape } from './pages.ts';
import { DeviceRunner } from './runner.ts';
import type { DeviceContext } from './runner.ts';

/** Options of a device backend. */
export interface DeviceOptions {
  /** `cpu` runs the same graphs in host memory, for tests. */
  readonly provider: 'cpu' | 'cuda';
  readonly threads: number;
  readonly maxBatch: number;
  /** Most slots for which state is allocated. Fewer if the memory of the device is smaller. */
  readonly maxSlots: number;
}

/** Share of the free device memory that the state of streams may take. The rest is for buffers of the runs. */
const MEMORY_SHARE = 0.7;
/** Smallest batch size on a GPU. Smaller batches take as long as this one. */
const SMALLEST_BATCH = 32;
/**
 * Longest run on a GPU. A window waits for up to two runs before its own, and its result must arrive within 150 ms of its
 * last sample. A model that needs more for a full batch gets smaller batches.
 */
const LONGEST_RUN_MS = 45;
/** Weights of the GPU graphs, next to them. */
const WEIGHTS_FILE = 'weights.bin';

/** A model whose features, state and best classes are computed on a device. Only samples and class ids travel. */
export class DeviceBackend implements Backend {
  readonly manifest: Manifest;
  readonly contexts: ReadonlyMap<string, ContextShape>;
  readonly maxBatch: number;
  readonly maxRuns = 2;
  readonly maxSlots: number;
  /** State of all streams on the device. */
  readonly arenas: DeviceArenas;
  readonly #vocabulary: Vocabulary;
  readonly #graphs: ReadonlyMap<string, DeviceContext>;
  readonly #layout: ArenaLayout;

  private constructor(
    manifest: Manifest,
    vocabulary: Vocabulary,
    graphs: ReadonlyMap<string, DeviceContext>,
    arenas: DeviceArenas,
    layout: ArenaLayout,
    maxBatch: number,
  ) {
    this.manifest = manifest;
    this.arenas = arenas;
    this.maxBatch = maxBatch;
    this.maxSlots = layout.slots;
    this.#vocabulary = vocabulary;
    this.#graphs = graphs;
    this.#layout = layout;
    this.contexts = new Map(
      [...graphs].map(([context, { graph, rows }]) => {
        const { framing } = rows;
        const subsampling = framing.shift / graph.shape.frames;
        return [context, { framing, subsampling, recomputesHistory: true }];
      }),
    );
  }

  /** Loads the GPU graphs of a model folder. Throws a ModelError that names the problem if they cannot be used. */
  static async load(folder: string, options: DeviceOptions): Promise<DeviceBackend> {
    const { provider, maxBatch } = options;
    const manifest = await readManifest(folder);
    for (const ref of manifest.weights) await readChecked(folder, ref);
    const vocabulary = parseTokens((await readChecked(folder, manifest.tokens)).toString('utf8'));
    const runtime = await NativeRuntime.open();
    const memory =
      provider === 'cuda' ? await createCudaMemory({ device: 0, sharesStream: true }) : createHostMemory(runtime.koffi);
    const opened = await openGraphs(runtime, memory, folder, manifest, options);
    for (const { file, context, graph } of opened) checkGraph(file, graph, context, vocabulary);
    const { arenas, layout } = createArenas(runtime, memory, opened, options.maxSlots);
    const sizes = batchSizes(provider === 'cuda' ? SMALLEST_BATCH : 1, maxBatch);
    const graphs = new Map<string, DeviceContext>();
    for (const { context, graph: open } of opened) {
      const graph = new DeviceGraph(runtime, memory, open, arenas, sizes, provider === 'cuda');
      graph.warmUp();
      const { framing, frames } = open.shape;
      const rows = { framing, samples: windowSamples(framing), left: context[0], chunk: frames };
      graphs.set(contextKey(context), { graph, rows });
    }
    const quick = provider === 'cuda' ? largestQuickBatch([...graphs.values()], sizes) : maxBatch;
    return new DeviceBackend(manifest, vocabulary, graphs, arenas, layout, quick);
  }

  startSearch(): Search {
    return startSearch(this.#vocabulary, undefined);
  }

  createRunner(slots: number, onRun: OnRun): Runner {
    if (slots > this.#layout.slots) {
      throw new RangeError(`the device has memory for ${this.#layout.slots} streams, not for ${slots}`);
    }
    return new DeviceRunner(this.#graphs, this.#layout, this.manifest.promptIndex ?? 0, onRun);
  }
}

/** The GPU graph of a context. */
interface OpenContext {
  readonly file: string;
  readonly context: Context;
  readonly graph: OpenGraph;
}

/** Opens the graphs of all contexts. On a GPU they share their weights. */
async function openGraphs(
  runtime: NativeRuntime,
  memory: DeviceMemory,
  folder: string,
  { contexts }: Manifest,
  { provider, threads }: DeviceOptions,
): Promise<OpenContext[]> {
  const weights = new Map<string, SharedWeights>();
  const opened: OpenContext[] = [];
  for (const { context, gpu } of contexts) {
    if (gpu === undefined) {
      throw new ModelError('graph_unsupported', `manifest.json: the context [${contextKey(context)}] has no GPU graph`);
    }
    const { file } = gpu;
    const facts = readOnnx(file, await readChecked(folder, gpu));
    const path = join(folder, dirname(file), WEIGHTS_FILE);
    const shared = provider === 'cuda' ? (weights.get(path) ?? new SharedWeights(runtime, memory, path)) : undefined;
    if (shared !== undefined) weights.set(path, shared);
    const session = {
      threads,
      cudaGraphs: provider === 'cuda',
      initializers: shared?.initializers(file, facts) ?? new Map(),
    };
    opened.push({ file, context, graph: openGraph(runtime, memory, join(folder, file), file, session) });
  }
  return opened;
}

/** Allocates the state of as many streams as are wanted and fit into the memory of the device. */
function createArenas(
  runtime: NativeRuntime,
  memory: DeviceMemory,
  contexts: readonly OpenContext[],
  maxSlots: number,
): { arenas: DeviceArenas; layout: ArenaLayout } {
  const shapes = contexts.map(({ graph }) => graph.shape);
  const [first] = shapes;
  if (first === undefined) throw new ModelError('manifest_invalid', 'manifest.json: contexts is empty');
  const pages = shapes.map(({ context, frames }): PageShape => ({ left: context[0], chunk: frames }));
  const sizeOf = ({ frames, tails, pageFrames }: ArenaLayout) => ({ frames, slots: tails, pageFrames });
  const bytesFor = (slots: number) => arenaBytes(first.state, sizeOf(layOutArenas(slots, pages)));
  const fitting = Math.floor((memory.freeBytes() * MEMORY_SHARE) / (bytesFor(2) - bytesFor(1)));
  const layout = layOutArenas(Math.max(1, Math.min(maxSlots, fitting)), pages);
  return { arenas: new DeviceArenas(runtime, memory, first.state, sizeOf(layout)), layout };
}

/** Returns the largest batch size whose run is short enough at every context. */
function largestQuickBatch(contexts: readonly DeviceContext[], sizes: readonly number[]): number {
  const [smallest = 1] = sizes;
  return sizes.findLast((size) => contexts.every(({ graph }) => runMs(graph, size) <= LONGEST_RUN_MS)) ?? smallest;
}

/** Returns the time of a run of padding rows on the device. */
function runMs(graph: DeviceGraph, size: number): number {
  const batch = graph.acquire(size);
  if (batch === undefined) throw new Error('a batch is in use before the first stream');
  batch.submit(0);
  batch.collect();
  const { copyInMs, computeMs, copyOutMs } = batch.timing();
  return copyInMs + computeMs + copyOutMs;
}

/** Returns the batch sizes up to the largest: powers of two, and the largest itself. */
export function batchSizes(least: number, most: number): number[] {
  const sizes: number[] = [];
  for (let size = least; size < most; size *= 2) sizes.push(size);
  return [...sizes, most];
}

function checkGraph(file: string, { shape }: OpenGraph, context: readonly number[], { pieces }: Vocabulary): void {
  const fail = (what: string): never => {
    throw new ModelError('graph_mismatch', `${file}: ${what}`);
  };
  if (shape.type !== 'ctc') fail('this worker runs GPU graphs of CTC models only');
  if (shape.context.join() !== context.join()) {
    fail(`the graph is for the context [${shape.context.join()}], but the manifest lists it for [${context.join()}]`);
  }
  if (shape.classes !== pieces.length) {
    fail(`the graph has ${shape.classes} classes, but tokens.txt has ${pieces.length} pieces`);
  }
}
