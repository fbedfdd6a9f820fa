import { offsetOf } from './bucket.ts';
import type { Bucket } from './bucket.ts';
import { CudaError } from './error.ts';
import type { DeviceEvent, DeviceMemory, HostBlock } from './memory.ts';

/** Device time of the parts of a run. */
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

/**
 * Host memory of a batch, and the phase of the batch. `idle`: the batch is free. `filling`: its owner writes the
 * inputs. `running`: it runs on the device.
 */
export class Submission {
  readonly bucket: Bucket;
  readonly #memory: DeviceMemory;
  readonly #input: HostBlock;
  readonly #output: HostBlock;
  /**
   * Events before the copy to the device, between this copy and the run, after the run, and after the copy to the host.
   */
  readonly #events: readonly [DeviceEvent, DeviceEvent, DeviceEvent, DeviceEvent];
  #phase: 'idle' | 'filling' | 'running' = 'idle';

  constructor(memory: DeviceMemory, bucket: Bucket) {
    this.bucket = bucket;
    this.#memory = memory;
    this.#input = memory.allocateHost(bucket.inputs.bytes);
    this.#output = memory.allocateHost(bucket.outputs.bytes);
    this.#events = [memory.createEvent(), memory.createEvent(), memory.createEvent(), memory.createEvent()];
  }

  /** Returns the position of an input in host memory. */
  input(name: string): Place {
    return { buffer: this.#input.buffer, offset: offsetOf(this.bucket.inputs, name) };
  }

  /** Returns the position of an output in host memory. */
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

  /** Calls `prepare` and starts the run of the inputs. After an error, the batch is idle. */
  submit(prepare: () => void): void {
    this.#expect('filling');
    this.#phase = 'idle';
    prepare();
    try {
      this.#issue();
    } catch (error) {
      // Waits for the device. A copy may still read the host memory, which the next owner of the batch would overwrite.
      if (!(error instanceof CudaError)) this.#memory.synchronize();
      throw error;
    }
    this.#phase = 'running';
  }

  isDone(): boolean {
    this.#expect('running');
    return this.#events[3].isDone();
  }

  /** Waits for the results. Afterwards the batch is idle. */
  collect(): void {
    this.#expect('running');
    this.#events[3].wait();
    this.#phase = 'idle';
  }

  /** Resolves when the results have arrived, without blocking the thread. Afterwards the batch is idle. */
  async collected(): Promise<void> {
    this.#expect('running');
    await this.#events[3].done();
    this.collect();
  }

  /**
   * Returns an acquired batch to the idle state without a run. Does nothing if `submit` has failed, because the batch
   * is already idle.
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
