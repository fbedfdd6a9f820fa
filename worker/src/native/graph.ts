import { ModelError } from '../model/error.ts';
import type { DeviceArenas } from './arenas.ts';
import { DeviceBatch } from './batch.ts';
import { Bucket } from './bucket.ts';
import { readGraphShape } from './contract.ts';
import type { GraphShape } from './contract.ts';
import { CudaError } from './error.ts';
import { IndexCheck } from './indices.ts';
import type { DeviceMemory } from './memory.ts';
import type { NativeRuntime } from './runtime.ts';
import type { NativeSession, SessionOptions } from './session.ts';

/** A GPU graph that is open, with its sizes. */
export interface OpenGraph {
  readonly session: NativeSession;
  readonly shape: GraphShape;
}

/** Opens a GPU graph and checks it. Throws a ModelError if it cannot be used. `file` names it in messages. */
export function openGraph(
  runtime: NativeRuntime,
  memory: DeviceMemory,
  path: string,
  file: string,
  options: SessionOptions,
): OpenGraph {
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
    return { session, shape: readGraphShape(session.ports(file), (key) => session.metadata(key)) };
  } catch (error) {
    session.release();
    throw error;
  }
}

/** Number of batches of one size that can be in flight. The host fills one while the device runs the other. */
const BATCHES_PER_BUCKET = 2;

/**
 * Runs a GPU graph on batches of a few sizes. A batch is padded to the next size, its bucket. Each bucket has buffers at
 * fixed addresses and a CUDA graph of its own. All calls must come from the thread that created the object.
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
    this.#buckets = this.sizes.map((size, i) => {
      const graphId = cudaGraphs ? i + 1 : undefined;
      return new Bucket(runtime, memory, session, shape, arenas, size, graphId);
    });
    this.#batches = this.#buckets.flatMap((bucket) =>
      Array.from({ length: BATCHES_PER_BUCKET }, () => new DeviceBatch(memory, bucket, arenas, check)),
    );
  }

  /**
   * Returns an idle batch with room for this many rows, the smallest one. Undefined if all batches of its size are in
   * use.
   */
  acquire(rows: number): DeviceBatch | undefined {
    const size = this.sizes.find((bucket) => bucket >= rows);
    if (size === undefined) throw new RangeError(`a batch has at most ${this.sizes.at(-1)} rows, not ${rows}`);
    const batch = this.#batches.find((one) => one.size === size && one.isIdle);
    batch?.acquire();
    return batch;
  }

  /**
   * Runs each size with padding rows only, which plans its kernels and captures its CUDA graph. The largest comes first,
   * because kernels may keep a buffer that a larger batch replaces, and a captured graph would use the old one.
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

  /** Waits for batches in flight and releases all memory of the graph. The arenas stay. */
  release(): void {
    for (const batch of this.#batches) batch.release();
    for (const bucket of this.#buckets) bucket.release();
    this.#session.release();
  }
}
