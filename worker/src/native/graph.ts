import { ModelError } from '../model/error.ts';
import type { Ports } from '../model/ports.ts';
import type { DeviceArenas } from './arenas.ts';
import { DeviceBatch } from './batch.ts';
import { Bucket } from './bucket.ts';
import { inputsOf, outputsOf, readGraphShape } from './contract.ts';
import type { GraphShape } from './contract.ts';
import { CudaError } from './error.ts';
import { IndexCheck } from './indices.ts';
import type { DeviceMemory } from './memory.ts';
import type { NativeRuntime } from './runtime.ts';
import type { NativeSession, SessionOptions } from './session.ts';
import type { NativeTensor } from './tensor.ts';

/** An open GPU graph with its sizes. */
export interface OpenGraph {
  readonly session: NativeSession;
  readonly shape: GraphShape;
}

/**
 * Opens a GPU graph and checks it. Throws a ModelError if the graph cannot be used. `file` is the name of the graph in
 * error messages.
 */
export function openGraph(
  runtime: NativeRuntime,
  memory: DeviceMemory,
  path: string,
  file: string,
  options: SessionOptions,
): OpenGraph {
  return openSession(runtime, memory, path, file, options, readGraphShape);
}

/** Opens a graph and reads its sizes with `read`. Throws a ModelError if the graph cannot be used. */
export function openSession<Shape>(
  runtime: NativeRuntime,
  memory: DeviceMemory,
  path: string,
  file: string,
  options: SessionOptions,
  read: (ports: Ports, metadata: (key: string) => string | undefined) => Shape,
): { session: NativeSession; shape: Shape } {
  let session: NativeSession;
  try {
    session = runtime.createSession(path, memory, options);
  } catch (cause) {
    if (cause instanceof CudaError) throw cause;
    const code = memory.provider === 'cpu' ? 'graph_unreadable' : 'provider_unavailable';
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ModelError(code, `${file}: the provider ${memory.provider} cannot run this graph: ${why}`, { cause });
  }
  try {
    return { session, shape: read(session.ports(file), (key) => session.metadata(key)) };
  } catch (error) {
    session.release();
    throw error;
  }
}

/** Number of batches of one size for CTC. The host fills one batch while the device runs the other one. */
const BATCHES_PER_BUCKET = 2;

/**
 * Runs a GPU graph on batches of a few sizes. Each batch is padded to the next of these sizes. The device memory for
 * one size is a bucket. Each bucket has buffers at fixed addresses and its own CUDA graph. All calls must come from the
 * thread that created the object.
 */
export class DeviceGraph {
  readonly shape: GraphShape;
  /** Batch sizes, ascending. */
  readonly sizes: readonly number[];
  readonly #session: NativeSession;
  readonly #buckets: readonly Bucket[];
  readonly #batches: readonly DeviceBatch[];

  constructor(
    runtime: NativeRuntime,
    memory: DeviceMemory,
    { session, shape }: OpenGraph,
    arenas: DeviceArenas,
    sizes: readonly number[],
    cudaGraphs: boolean,
  ) {
    this.shape = shape;
    this.sizes = [...sizes].sort((a, b) => a - b);
    this.#session = session;
    const check = new IndexCheck(arenas);
    const [inputs, outputs] = [inputsOf(shape), outputsOf(shape)];
    // The encoded frames of a transducer stay in the memory of the bucket until the search has ended. A bucket of a
    // transducer therefore has only one batch.
    const [copiesOut, count] = shape.type === 'ctc' ? [true, BATCHES_PER_BUCKET] : [false, 1];
    this.#buckets = this.sizes.map((size, i) => {
      const graphId = cudaGraphs ? i + 1 : undefined;
      const options = { size, inputs, outputs, copiesOut, fixed: new Map(), state: arenas.tensors, graphId };
      return new Bucket(runtime, memory, session, options);
    });
    this.#batches = this.#buckets.flatMap((bucket) =>
      Array.from({ length: count }, () => new DeviceBatch(memory, bucket, shape, arenas, check)),
    );
  }

  /**
   * Acquires an idle batch of the smallest size that has room for `rows` rows. Returns undefined if all batches of this
   * size are in use.
   */
  acquire(rows: number): DeviceBatch | undefined {
    const size = this.sizes.find((bucket) => bucket >= rows);
    if (size === undefined) throw new RangeError(`a batch has at most ${this.sizes.at(-1)} rows, not ${rows}`);
    const batch = this.#batches.find((one) => one.size === size && one.isIdle);
    batch?.acquire();
    return batch;
  }

  /**
   * Runs a batch of each size in which all rows are padding. This plans the kernels and captures the CUDA graph of the
   * size. The largest size comes first, because a kernel may have a buffer that a larger batch would replace. A CUDA
   * graph that was captured before the replacement would use the old buffer.
   */
  warmUp(): void {
    for (const size of this.sizes.toReversed()) {
      for (let i = 0; i < BATCHES_PER_BUCKET; i++) {
        const batch = this.acquire(size);
        batch?.submit(0);
        batch?.collect();
      }
    }
  }

  /** Returns for each batch size the tensor with the encoded frames of a transducer. Empty for CTC. */
  get encoded(): { size: number; tensor: NativeTensor }[] {
    return this.#buckets.flatMap((bucket) => {
      const tensor = bucket.output('encoded');
      return tensor === undefined ? [] : [{ size: bucket.size, tensor }];
    });
  }

  /** Waits for submitted batches and releases all memory of the graph. The arenas are not released. */
  release(): void {
    for (const batch of this.#batches) batch.release();
    for (const bucket of this.#buckets) bucket.release();
    this.#session.release();
  }
}
