import type { DeviceBatch } from './batch.ts';
import { Bucket } from './bucket.ts';
import { openSession } from './graph.ts';
import type { DeviceGraph } from './graph.ts';
import { JointBatch } from './joint-batch.ts';
import { JOINT_INPUTS, jointOutputs, readJointShape } from './joint-contract.ts';
import type { JointShape } from './joint-contract.ts';
import type { DeviceMemory } from './memory.ts';
import type { PredictorStates } from './predictor.ts';
import type { NativeRuntime } from './runtime.ts';
import type { NativeSession, SessionOptions } from './session.ts';
import type { NativeTensor } from './tensor.ts';

/** The open joint graph of a transducer, with its sizes. */
export interface OpenJoint {
  readonly session: NativeSession;
  readonly shape: JointShape;
}

/**
 * Opens a joint graph and checks it. Throws a ModelError if the graph cannot be used. `file` is the name of the graph
 * in error messages.
 */
export function openJoint(
  runtime: NativeRuntime,
  memory: DeviceMemory,
  path: string,
  file: string,
  options: SessionOptions,
): OpenJoint {
  return openSession(runtime, memory, path, file, options, readJointShape);
}

/**
 * Runs the greedy search of a transducer on the encoded frames, which stay on the device after the run of an encoder. A
 * run takes a fixed number of steps for each row. If a row needs more steps, the caller starts another run.
 */
export class DeviceJoint {
  readonly shape: JointShape;
  readonly #runtime: NativeRuntime;
  readonly #memory: DeviceMemory;
  readonly #session: NativeSession;
  readonly #states: PredictorStates;
  readonly #cudaGraphs: boolean;
  readonly #alternatives: number;
  readonly #buckets: Bucket[] = [];
  /** The search for each tensor with encoded frames. */
  readonly #batches = new Map<NativeTensor, JointBatch>();

  constructor(
    runtime: NativeRuntime,
    memory: DeviceMemory,
    { session, shape }: OpenJoint,
    states: PredictorStates,
    cudaGraphs: boolean,
    wantsAlternatives = false,
  ) {
    this.shape = shape;
    this.#runtime = runtime;
    this.#memory = memory;
    this.#session = session;
    this.#states = states;
    this.#cudaGraphs = cudaGraphs;
    this.#alternatives = wantsAlternatives ? shape.alternatives : 0;
  }

  /**
   * Creates the searches for all batch sizes of an encoder. The largest size comes first. `DeviceGraph.warmUp` explains
   * why.
   */
  attach(graph: DeviceGraph): void {
    const { frames } = graph.shape;
    for (const { size, tensor } of graph.encoded.toReversed()) {
      const bucket = new Bucket(this.#runtime, this.#memory, this.#session, {
        size,
        inputs: JOINT_INPUTS,
        outputs: jointOutputs(this.shape, this.#alternatives),
        copiesOut: true,
        fixed: new Map([['encoded', tensor]]),
        state: this.#states.tensors,
        graphId: this.#cudaGraphs ? this.#buckets.length + 1 : undefined,
      });
      this.#buckets.push(bucket);
      const search = new JointBatch(this.#memory, bucket, this.shape, frames, this.#states, this.#alternatives);
      this.#batches.set(tensor, search);
    }
  }

  /** Returns the search that reads the encoded frames of a batch. */
  searchOf({ encoded }: DeviceBatch): JointBatch {
    const batch = encoded && this.#batches.get(encoded);
    if (batch === undefined) throw new Error('the encoder of the batch was not attached');
    return batch;
  }

  /**
   * Runs each search with rows that are all padding. This plans the kernels and captures the CUDA graph of the search.
   */
  warmUp(): void {
    for (const batch of this.#batches.values()) {
      for (let i = 0; i < 2; i++) {
        batch.submit(0);
        batch.collect();
      }
    }
  }

  /** Waits for runs in progress and releases all memory of the searches. The predictor states are not released. */
  release(): void {
    for (const batch of this.#batches.values()) batch.release();
    for (const bucket of this.#buckets) bucket.release();
    this.#session.release();
  }
}
