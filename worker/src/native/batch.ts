import { DeviceArenas } from './arenas.ts';
import type { Bucket, Layout } from './bucket.ts';
import { CudaError } from './error.ts';
import type { BatchInputs, IndexCheck } from './indices.ts';
import type { DeviceEvent, DeviceMemory, HostBlock } from './memory.ts';
import type { NativeTensor } from './tensor.ts';

/** Results of a batch: best class of each frame and its log-probability, row after row. Empty for a transducer. */
export interface BatchResult {
  readonly ids: Int32Array;
  readonly scores: Float32Array;
}

/** Device time of a batch. */
export interface BatchTiming {
  readonly copyInMs: number;
  readonly computeMs: number;
  readonly copyOutMs: number;
}

/**
 * A batch with its host memory. `DeviceGraph.acquire` returns it, the caller fills rows of `inputs` and calls `submit`,
 * and `collect` returns the results. They are valid until the batch is acquired again.
 */
export class DeviceBatch {
  /** Rows that the graph runs. */
  readonly size: number;
  readonly inputs: BatchInputs;
  /** Output of a transducer's encoder on the device. It is valid until the next batch of this size is submitted. */
  readonly encoded: NativeTensor | undefined;
  readonly #memory: DeviceMemory;
  readonly #bucket: Bucket;
  readonly #arenas: DeviceArenas;
  readonly #check: IndexCheck;
  readonly #inputBlock: HostBlock;
  readonly #outputBlock: HostBlock;
  readonly #result: BatchResult;
  /** Start of the copy to the device, of the run, of the copy to the host, and its end. */
  readonly #events: readonly [DeviceEvent, DeviceEvent, DeviceEvent, DeviceEvent];
  #phase: 'idle' | 'filling' | 'running' = 'idle';

  constructor(memory: DeviceMemory, bucket: Bucket, arenas: DeviceArenas, check: IndexCheck) {
    this.size = bucket.size;
    this.encoded = bucket.encoded;
    this.#memory = memory;
    this.#bucket = bucket;
    this.#arenas = arenas;
    this.#check = check;
    this.#inputBlock = memory.allocateHost(bucket.inputs.bytes);
    this.#outputBlock = memory.allocateHost(bucket.outputs.bytes);
    this.#events = [memory.createEvent(), memory.createEvent(), memory.createEvent(), memory.createEvent()];
    const { size } = this;
    const { samples, pages, frames, takesPrompt } = bucket.shape;
    const input = this.#inputBlock.buffer;
    const at = (name: string) => offsetOf(bucket.inputs, name);
    this.inputs = {
      pcm: new Int16Array(input, at('pcm'), size * samples),
      bounds: new Int32Array(input, at('bounds'), size * 4),
      past: new Int32Array(input, at('past'), size * pages),
      page: new Int32Array(input, at('page'), size),
      tailFrom: new Int32Array(input, at('tail_from'), size),
      tailTo: new Int32Array(input, at('tail_to'), size),
      filled: new Int32Array(input, at('filled'), size),
      prompt: takesPrompt ? new BigInt64Array(input, at('prompt'), size) : new BigInt64Array(0),
    };
    const output = this.#outputBlock.buffer;
    const values = bucket.encoded === undefined ? size * frames : 0;
    this.#result = {
      ids: new Int32Array(output, values && offsetOf(bucket.outputs, 'ids'), values),
      scores: new Float32Array(output, values && offsetOf(bucket.outputs, 'scores'), values),
    };
  }

  get isIdle(): boolean {
    return this.#phase === 'idle';
  }

  /** Marks the batch as in use. */
  acquire(): void {
    this.#expect('idle');
    this.#phase = 'filling';
  }

  /**
   * Starts to run the first `rows` rows and returns before they are done. The other rows are padded. Throws a NativeError
   * before anything is sent if an index is invalid. After an error the batch is idle.
   */
  submit(rows: number): void {
    this.#expect('filling');
    this.#phase = 'idle';
    this.#check.check(this.#bucket.shape, this.inputs, rows);
    this.#pad(rows);
    try {
      this.#issue();
    } catch (error) {
      // A copy may still read the memory that the next user of the batch fills.
      if (!(error instanceof CudaError)) this.#memory.synchronize();
      throw error;
    }
    this.#phase = 'running';
  }

  #issue(): void {
    const [start, copied, computed, done] = this.#events;
    const { inputs, outputs, inputBlock, outputBlock, encoded } = this.#bucket;
    start.record();
    this.#memory.copyToDevice(inputBlock, this.#inputBlock.pointer, inputs.bytes);
    copied.record();
    this.#bucket.run();
    computed.record();
    if (encoded === undefined) this.#memory.copyToHost(this.#outputBlock.pointer, outputBlock, outputs.bytes);
    done.record();
  }

  /** Reports whether the results are there. */
  isDone(): boolean {
    this.#expect('running');
    return this.#events[3].isDone();
  }

  /** Waits for the results and makes the batch idle. */
  collect(): BatchResult {
    this.#expect('running');
    this.#events[3].wait();
    this.#phase = 'idle';
    return this.#result;
  }

  /** Resolves with the results when they are there, without blocking the thread. Makes the batch idle. */
  async collected(): Promise<BatchResult> {
    this.#expect('running');
    await this.#events[3].done();
    return this.collect();
  }

  /** Makes the batch idle without running it. Does nothing after a `submit` that failed. */
  abandon(): void {
    if (this.#phase !== 'idle') this.#expect('filling');
    this.#phase = 'idle';
  }

  /** Returns the device time of the last run. Call it after `collect`. */
  timing(): BatchTiming {
    const [start, copied, computed, done] = this.#events;
    return {
      copyInMs: copied.msSince(start),
      computeMs: computed.msSince(copied),
      copyOutMs: done.msSince(computed),
    };
  }

  release(): void {
    this.#memory.synchronize();
    for (const event of this.#events) event.release();
    this.#memory.releaseHost(this.#inputBlock);
    this.#memory.releaseHost(this.#outputBlock);
  }

  /** Lets rows without a stream read zeros and write to the scratch page. Their samples are outside of the bounds. */
  #pad(from: number): void {
    const { bounds, past, page, tailFrom, tailTo, filled, prompt } = this.inputs;
    bounds.fill(0, from * 4);
    past.fill(DeviceArenas.zeroFrame, from * this.#bucket.shape.pages);
    page.fill(this.#arenas.scratchFrame, from);
    tailFrom.fill(DeviceArenas.zeroSlot, from);
    tailTo.fill(DeviceArenas.scratchSlot, from);
    filled.fill(0, from);
    prompt.fill(0n, from);
  }

  #expect(phase: 'idle' | 'filling' | 'running'): void {
    if (this.#phase !== phase) throw new Error(`the batch is ${this.#phase}, expected ${phase}`);
  }
}

function offsetOf({ fields }: Layout, name: string): number {
  const field = fields.find((one) => one.name === name);
  if (field === undefined) throw new Error(`the layout has no ${name}`);
  return field.offset;
}
