import { DeviceArenas } from './arenas.ts';
import type { Bucket } from './bucket.ts';
import type { GraphShape } from './contract.ts';
import type { BatchInputs, IndexCheck } from './indices.ts';
import type { DeviceMemory } from './memory.ts';
import { Submission } from './submission.ts';
import type { BatchTiming } from './submission.ts';
import type { NativeTensor } from './tensor.ts';
import { topClassesOf } from './top-classes.ts';
import type { TopClasses } from './top-classes.ts';

/**
 * Results of a batch. `ids` contains the best class of each frame, row after row, and `scores` its log-probability.
 * Empty for a transducer.
 */
export interface BatchResult {
  readonly ids: Int32Array;
  readonly scores: Float32Array;
  readonly top: TopClasses;
}

/**
 * A batch with its host memory. Get it from `DeviceGraph.acquire`, fill rows of `inputs` and call `submit`. Then call
 * `collect`, which returns the results. They are valid until the batch is acquired again.
 */
export class DeviceBatch {
  /** Number of rows that the graph runs. */
  readonly size: number;
  readonly inputs: BatchInputs;
  /**
   * Tensor on the device with the output of a transducer's encoder. Its content is valid until another batch of this
   * size is submitted.
   */
  readonly encoded: NativeTensor | undefined;
  readonly #submission: Submission;
  readonly #shape: GraphShape;
  readonly #arenas: DeviceArenas;
  readonly #check: IndexCheck;
  readonly #result: BatchResult;

  constructor(memory: DeviceMemory, bucket: Bucket, shape: GraphShape, arenas: DeviceArenas, check: IndexCheck) {
    const submission = new Submission(memory, bucket);
    const { size } = bucket;
    this.size = size;
    this.encoded = bucket.output('encoded');
    this.#submission = submission;
    this.#shape = shape;
    this.#arenas = arenas;
    this.#check = check;
    const { samples, pages, frames, takesPrompt } = shape;
    const int32 = (name: string, perRow: number): Int32Array => {
      const { buffer, offset } = submission.input(name);
      return new Int32Array(buffer, offset, size * perRow);
    };
    const pcm = submission.input('pcm');
    const prompt = takesPrompt ? submission.input('prompt') : undefined;
    this.inputs = {
      pcm: new Int16Array(pcm.buffer, pcm.offset, size * samples),
      bounds: int32('bounds', 4),
      past: int32('past', pages),
      page: int32('page', 1),
      tailFrom: int32('tail_from', 1),
      tailTo: int32('tail_to', 1),
      filled: int32('filled', 1),
      prompt: prompt ? new BigInt64Array(prompt.buffer, prompt.offset, size) : new BigInt64Array(0),
    };
    this.#result = shape.type === 'ctc' ? resultOf(submission, size * frames, shape.alternatives) : NO_RESULT;
  }

  get isIdle(): boolean {
    return this.#submission.isIdle;
  }

  /** Marks the batch as in use. */
  acquire(): void {
    this.#submission.acquire();
  }

  /**
   * Starts a run of the first `rows` rows and returns before the run has ended. All other rows are padding. If an index
   * is invalid, throws a NativeError before anything is sent to the device. After any error, the batch is idle.
   */
  submit(rows: number): void {
    this.#submission.submit(() => {
      this.#check.check(this.#shape, this.inputs, rows);
      this.#pad(rows);
    });
  }

  /** Reports whether the results have arrived. */
  isDone(): boolean {
    return this.#submission.isDone();
  }

  /** Waits for the results and returns them. Afterwards the batch is idle. */
  collect(): BatchResult {
    this.#submission.collect();
    return this.#result;
  }

  /** Resolves to the results when they have arrived, without blocking the thread. Afterwards the batch is idle. */
  async collected(): Promise<BatchResult> {
    await this.#submission.collected();
    return this.#result;
  }

  /**
   * Returns an acquired batch to the idle state without a run. Does nothing if `submit` has failed, because the batch
   * is already idle.
   */
  abandon(): void {
    this.#submission.abandon();
  }

  /** Returns the device time of the last run. Call it after `collect`. */
  timing(): BatchTiming {
    return this.#submission.timing();
  }

  release(): void {
    this.#submission.release();
  }

  /**
   * Sets the inputs of rows without a stream so that these rows read zeros and write to the scratch page. Their bounds
   * contain no samples.
   */
  #pad(from: number): void {
    const { bounds, past, page, tailFrom, tailTo, filled, prompt } = this.inputs;
    bounds.fill(0, from * 4);
    past.fill(DeviceArenas.zeroFrame, from * this.#shape.pages);
    page.fill(this.#arenas.scratchFrame, from);
    tailFrom.fill(DeviceArenas.zeroSlot, from);
    tailTo.fill(DeviceArenas.scratchSlot, from);
    filled.fill(0, from);
    prompt.fill(0n, from);
  }
}

const NOTHING = { ids: new Int32Array(0), scores: new Float32Array(0) };
const NO_RESULT: BatchResult = { ids: NOTHING.ids, scores: NOTHING.scores, top: { count: 0, ...NOTHING } };

function resultOf(submission: Submission, values: number, alternatives: number): BatchResult {
  const [ids, scores] = [submission.output('ids'), submission.output('scores')];
  return {
    ids: new Int32Array(ids.buffer, ids.offset, values),
    scores: new Float32Array(scores.buffer, scores.offset, values),
    top: topClassesOf(submission, values, alternatives),
  };
}
