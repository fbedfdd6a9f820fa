import { offsetOf } from './bucket.ts';
import type { Bucket } from './bucket.ts';
import { CudaError } from './error.ts';
import type { DeviceEvent, DeviceMemory, HostBlock } from './memory.ts';

/** Device time of a run. */
export interface BatchTiming {
  readonly copyInMs: number;
  readonly computeMs: number;
  readonly copyOutMs: number;
}

/** Position of a tensor in host memory. */
interface Place {
  readonly buffer: ArrayBuffer;
  readonly offset: number;
}

/** Host memory of a batch, and the phases of its use: `idle`, `filling` by its owner, and `running` on the device. */
export class Submission {
  readonly bucket: Bucket;
  readonly #memory: DeviceMemory;
  readonly #input: HostBlock;
  readonly #output: HostBlock;
  /** Start of the copy to the device, start of the run, and start and end of the copy to the host. */
  readonly #events: readonly [DeviceEvent, DeviceEvent, DeviceEvent, DeviceEvent];
  #phase: 'idle' | 'filling' | 'running' = 'idle';

  constructor(memory: DeviceMemory, bucket: Bucket) {
    this.bucket = bucket;
    this.#memory = memory;
    this.#input = memory.allocateHost(bucket.inputs.bytes);
    this.#output = memory.allocateHost(bucket.outputs.bytes);
    this.#events = [memory.createEvent(), memory.createEvent(), memory.createEvent(), memory.createEvent()];
  }

  /** Returns the place of an input in host memory. */
  input(name: string): Place {
    return { buffer: this.#input.buffer, offset: offsetOf(this.bucket.inputs, name) };
  }

  /** Returns the place of an output in host memory. */
  output(name: string): Place {
    return { buffer: this.#output.buffer, offset: offsetOf(this.bucket.outputs, name) };
  }

  get isIdle(): boolean {
    return this.#phase === 'idle';
  }

  acquire(): void {
    this.#expect('idle');
    this.#phase = 'filling';
  }

  /** Prepares the inputs and starts to run them. After an error the batch is idle. */
  submit(prepare: () => void): void {
    this.#expect('filling');
    this.#phase = 'idle';
    prepare();
    try {
      this.#issue();
    } catch (error) {
      // Waits for the device, because a copy may still read memory that the next user of the batch would overwrite.
      if (!(error instanceof CudaError)) this.#memory.synchronize();
      throw error;
    }
    this.#phase = 'running';
  }

  isDone(): boolean {
    this.#expect('running');
    return this.#events[3].isDone();
  }

  /** Waits for the results and makes the batch idle. */
  collect(): void {
    this.#expect('running');
    this.#events[3].wait();
    this.#phase = 'idle';
  }

  /** Resolves when the results have arrived, without blocking the thread, and makes the batch idle. */
  async collected(): Promise<void> {
    this.#expect('running');
    await this.#events[3].done();
    this.collect();
  }

  /**
   * Makes the batch idle without running it. Does nothing if `submit` has failed, because the batch is already idle.
   */
  abandon(): void {
    if (this.#phase !== 'idle') this.#expect('filling');
    this.#phase = 'idle';
  }

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
    this.#memory.releaseHost(this.#input);
    this.#memory.releaseHost(this.#output);
  }

  #issue(): void {
    const [start, copied, computed, done] = this.#events;
    const { inputs, outputs, inputBlock, outputBlock, copiesOut } = this.bucket;
    start.record();
    this.#memory.copyToDevice(inputBlock, this.#input.pointer, inputs.bytes);
    copied.record();
    this.bucket.run();
    computed.record();
    if (copiesOut) this.#memory.copyToHost(this.#output.pointer, outputBlock, outputs.bytes);
    done.record();
  }

  #expect(phase: 'idle' | 'filling' | 'running'): void {
    if (this.#phase !== phase) throw new Error(`the batch is ${this.#phase}, expected ${phase}`);
  }
}
