import { windowSamples } from '../../features/framing.ts';
import type { PhraseGraph } from '../../decode/phrases/graph.ts';
import { ModelError } from '../../model/error.ts';
import { readChecked, readManifest } from '../../model/files.ts';
import { contextKey } from '../../model/manifest.ts';
import type { Manifest } from '../../model/manifest.ts';
import { parseTokens } from '../../model/tokens.ts';
import type { Vocabulary } from '../../model/tokens.ts';
import { arenaBytes, DeviceArenas } from '../../native/arenas.ts';
import { createCudaMemory } from '../../native/cuda.ts';
import { CudaError } from '../../native/error.ts';
import { DeviceGraph } from '../../native/graph.ts';
import { DeviceJoint } from '../../native/joint.ts';
import type { OpenJoint } from '../../native/joint.ts';
import { createHostMemory } from '../../native/memory.ts';
import type { DeviceMemory } from '../../native/memory.ts';
import { PredictorStates, predictorBytes } from '../../native/predictor.ts';
import { ReleaseList } from '../../native/release-list.ts';
import { NativeRuntime } from '../../native/runtime.ts';
import type { BatchTiming } from '../../native/submission.ts';
import type { Backend, OnRun, Runner } from '../backend.ts';
import type { ContextShape } from '../context-shape.ts';
import { startDeviceSearch } from '../search.ts';
import type { Search } from '../search.ts';
import { WHOLE_MACHINE } from '../share.ts';
import type { MachineShare } from '../share.ts';
import { checkAlternatives, openModel } from './open.ts';
import type { OpenModel } from './open.ts';
import { layOutArenas, STATES_PER_SLOT } from './pages.ts';
import type { ArenaLayout, PageShape } from './pages.ts';
import { DeviceRunner } from './runner.ts';
import type { DeviceContext } from './runner.ts';

/** Options of a device backend. */
export interface DeviceOptions {
  /** `cpu` runs the same graphs on the CPU, in the memory of the host. Only tests use `cpu`. */
  readonly provider: 'cpu' | 'cuda';
  readonly threads: number;
  readonly maxBatch: number;
  /**
   * Largest number of slots for which state is allocated. If the device has too little memory, state for fewer slots is
   * allocated.
   */
  readonly maxSlots: number;
  /** Number of best classes that are kept for each piece. 0 by default. */
  readonly alternatives?: number;
  /** Part of the device that this model may use. The default is the whole device. */
  readonly share?: MachineShare;
}

/** Largest share of the free device memory for the state of streams. The buffers of runs need the remaining memory. */
const MEMORY_SHARE = 0.7;
/**
 * Maximum number of active runs. A transducer has only one active run, because its encoded frames stay in the memory of
 * the batch until the search has ended.
 */
const MAX_RUNS = { ctc: 2, transducer: 1 } as const;
/**
 * Smallest batch size on a GPU, unless `maxBatch` is lower. A smaller batch would take as long as a batch of this size.
 */
const SMALLEST_BATCH = 32;
/**
 * Longest time of a run on a GPU. A window waits for at most two other runs before its own run. Its result must arrive
 * within 150 ms of its last sample. If a full batch takes longer than LONGEST_RUN_MS, the model gets smaller batches.
 * Models that share the GPU also wait for each other's runs, so each model gets only a part of this time.
 */
const LONGEST_RUN_MS = 45;

/** State of all streams on the device. */
export interface StreamMemory {
  readonly arenas: DeviceArenas;
  /** States of a transducer's predictor. Undefined for CTC. */
  readonly states: PredictorStates | undefined;
}

/**
 * A model whose features, state and best classes are computed on a device. Only samples and indices are copied to the
 * device. Only class ids, frame numbers and scores are copied back.
 */
export class DeviceBackend implements Backend {
  readonly manifest: Manifest;
  readonly contexts: ReadonlyMap<string, ContextShape>;
  readonly maxBatch: number;
  readonly paddedSizes: readonly number[];
  readonly maxRuns: number;
  readonly maxSlots: number;
  /** State of all streams on the device. */
  readonly memory: StreamMemory;
  readonly #vocabulary: Vocabulary;
  readonly #graphs: ReadonlyMap<string, DeviceContext>;
  readonly #layout: ArenaLayout;
  readonly #releases: ReleaseList;
  readonly #alternatives: number;

  private constructor(
    manifest: Manifest,
    vocabulary: Vocabulary,
    graphs: ReadonlyMap<string, DeviceContext>,
    memory: StreamMemory,
    layout: ArenaLayout,
    maxBatch: number,
    releases: ReleaseList,
    alternatives: number,
  ) {
    this.manifest = manifest;
    this.memory = memory;
    this.maxBatch = maxBatch;
    const [first] = graphs.values();
    this.paddedSizes = (first?.graph.sizes ?? []).filter((size) => size <= maxBatch);
    this.maxRuns = MAX_RUNS[manifest.type];
    this.maxSlots = layout.slots;
    this.#vocabulary = vocabulary;
    this.#graphs = graphs;
    this.#layout = layout;
    this.#releases = releases;
    this.#alternatives = alternatives;
    this.contexts = new Map(
      [...graphs].map(
        ([
          context,
          {
            rows: { framing, subsampling },
          },
        ]) => [context, { framing, subsampling, recomputesHistory: true }],
      ),
    );
  }

  /**
   * Loads the GPU graphs of a model folder. If the graphs cannot be used, throws a ModelError that names the problem.
   */
  static async load(folder: string, options: DeviceOptions): Promise<DeviceBackend> {
    const releases = new ReleaseList();
    try {
      return await DeviceBackend.#load(folder, options, releases);
    } catch (error) {
      // After a CUDA error, nothing is released, because the calls that release memory would fail too. The process must
      // end then.
      if (!(error instanceof CudaError)) releases.release();
      throw error;
    }
  }

  static async #load(folder: string, options: DeviceOptions, releases: ReleaseList): Promise<DeviceBackend> {
    const { provider, share = WHOLE_MACHINE, alternatives = 0 } = options;
    const manifest = await readManifest(folder);
    for (const ref of manifest.weights) await readChecked(folder, ref);
    const vocabulary = parseTokens((await readChecked(folder, manifest.tokens)).toString('utf8'));
    const runtime = releases.add(await NativeRuntime.open());
    const memory =
      provider === 'cuda' ? await createCudaMemory({ device: 0, sharesStream: true }) : createHostMemory(runtime.koffi);
    releases.defer(() => {
      memory.close();
    });
    const opened = await openModel(runtime, memory, folder, manifest, vocabulary, options.threads, releases);
    if (alternatives > 0) checkAlternatives(opened, manifest, alternatives);
    const { arenas, layout } = createArenas(runtime, memory, opened, options);
    releases.add(arenas);
    // The number of slots can be lower than the requested batch size, if the device has little memory.
    const maxBatch = Math.min(options.maxBatch, layout.slots);
    const cudaGraphs = provider === 'cuda';
    const sizes = batchSizes(cudaGraphs ? SMALLEST_BATCH : 1, maxBatch);
    const states = opened.joint && releases.add(createStates(runtime, memory, opened.joint, layout));
    const joint =
      opened.joint &&
      states &&
      releases.add(new DeviceJoint(runtime, memory, opened.joint, states, cudaGraphs, alternatives > 0));
    const graphs = new Map<string, DeviceContext>();
    for (const { context, graph: open } of opened.contexts) {
      const graph = releases.add(new DeviceGraph(runtime, memory, open, arenas, sizes, cudaGraphs));
      joint?.attach(graph);
      graph.warmUp();
      const { framing, frames, subsampling } = open.shape;
      const rows = { framing, samples: windowSamples(framing), left: context[0], chunk: frames, subsampling };
      graphs.set(contextKey(context), { graph, rows, joint });
    }
    joint?.warmUp();
    const quick = cudaGraphs ? largestQuickBatch([...graphs.values()], sizes, LONGEST_RUN_MS * share.time) : maxBatch;
    return new DeviceBackend(manifest, vocabulary, graphs, { arenas, states }, layout, quick, releases, alternatives);
  }

  get supportsPhrases(): boolean {
    return [...this.#graphs.values()].every(({ graph }) => graph.shape.alternatives > 0);
  }

  startSearch(phrases?: PhraseGraph): Search {
    return startDeviceSearch(this.#vocabulary, this.manifest.type, this.#alternatives, phrases);
  }

  createRunner(slots: number, onRun: OnRun): Runner {
    if (slots > this.#layout.slots) {
      throw new RangeError(`the device has memory for ${this.#layout.slots} streams, not for ${slots}`);
    }
    return new DeviceRunner(this.#graphs, this.#layout, this.manifest.promptIndex ?? 0, onRun);
  }

  close(): Promise<void> {
    this.#releases.release();
    return Promise.resolve();
  }
}

/**
 * Allocates the state of the requested number of streams. If it does not fit into the memory of the device, allocates
 * the state of fewer streams.
 */
function createArenas(
  runtime: NativeRuntime,
  memory: DeviceMemory,
  { contexts, joint }: OpenModel,
  { maxSlots, share = WHOLE_MACHINE }: Pick<DeviceOptions, 'maxSlots' | 'share'>,
): { arenas: DeviceArenas; layout: ArenaLayout } {
  const shapes = contexts.map(({ graph }) => graph.shape);
  const [first] = shapes;
  if (first === undefined) throw new ModelError('manifest_invalid', 'manifest.json: contexts is empty');
  const pages = shapes.map(({ context, frames }): PageShape => ({ left: context[0], chunk: frames }));
  const sizeOf = ({ frames, tails, pageFrames }: ArenaLayout) => ({ frames, slots: tails, pageFrames });
  const predictor = joint === undefined ? 0 : STATES_PER_SLOT * predictorBytes(joint.shape);
  const bytesFor = (slots: number) => arenaBytes(first.state, sizeOf(layOutArenas(slots, pages))) + slots * predictor;
  const fitting = Math.floor((memory.freeBytes() * MEMORY_SHARE * share.memory) / (bytesFor(2) - bytesFor(1)));
  const layout = layOutArenas(Math.max(1, Math.min(maxSlots, fitting)), pages);
  return { arenas: new DeviceArenas(runtime, memory, first.state, sizeOf(layout)), layout };
}

/** Allocates the states of a transducer's predictor for the slots of a layout. */
function createStates(
  runtime: NativeRuntime,
  memory: DeviceMemory,
  { shape }: OpenJoint,
  { slots }: ArenaLayout,
): PredictorStates {
  return new PredictorStates(runtime, memory, shape, PredictorStates.firstSlot + slots * STATES_PER_SLOT);
}

/**
 * Returns the largest batch size whose runs are short enough at every context. Returns the smallest size if no size is
 * short enough.
 */
function largestQuickBatch(contexts: readonly DeviceContext[], sizes: readonly number[], longestMs: number): number {
  const [smallest = 1] = sizes;
  const isQuick = (context: DeviceContext, size: number) =>
    // The fastest of three runs counts, because other work on the device can slow down a single run.
    Math.min(runMs(context, size), runMs(context, size), runMs(context, size)) <= longestMs;
  return sizes.findLast((size) => contexts.every((context) => isQuick(context, size))) ?? smallest;
}

/** Returns the device time of a run in which all rows are padding. */
function runMs({ graph, joint, rows: { chunk } }: DeviceContext, size: number): number {
  const batch = graph.acquire(size);
  if (batch === undefined) throw new Error('a batch is in use before the first stream');
  batch.submit(0);
  batch.collect();
  const encoderMs = totalMs(batch.timing());
  if (joint === undefined) return encoderMs;
  const search = joint.searchOf(batch);
  search.submit(0);
  search.collect();
  // A frame without pieces takes one step. A chunk that contains pieces usually needs one more run of the search graph.
  const runs = Math.ceil(chunk / joint.shape.steps) + 1;
  return encoderMs + runs * totalMs(search.timing());
}

const totalMs = ({ copyInMs, computeMs, copyOutMs }: BatchTiming): number => copyInMs + computeMs + copyOutMs;

/** Returns the batch sizes up to `most`: `least` multiplied by powers of two, and `most` itself. */
export function batchSizes(least: number, most: number): number[] {
  const sizes: number[] = [];
  for (let size = least; size < most; size *= 2) sizes.push(size);
  return [...sizes, most];
}
