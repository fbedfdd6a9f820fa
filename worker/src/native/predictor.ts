import { predictorNames } from './joint-contract.ts';
import type { JointShape } from './joint-contract.ts';
import { readBack } from './memory.ts';
import type { DeviceMemory } from './memory.ts';
import type { NativeRuntime } from './runtime.ts';
import { ELEMENTS, releaseTensors } from './tensor.ts';
import type { NativeTensor } from './tensor.ts';

/**
 * States of a transducer's predictor on the device, with slots for each stream. Slot 0 contains zeros and is never
 * written. Zeros are the state at the start of an utterance. Padding rows write to slot 1.
 */
export class PredictorStates {
  static readonly zeroSlot = 0;
  static readonly scratchSlot = 1;
  /** First slot after the zero slot and the scratch slot. The slots of streams start here. */
  static readonly firstSlot = 2;

  readonly slots: number;
  /** Tensors by the name of the graph input that they are bound to. */
  readonly tensors: ReadonlyMap<string, NativeTensor>;
  readonly #memory: DeviceMemory;
  readonly #slotBytes: number;

  constructor(runtime: NativeRuntime, memory: DeviceMemory, shape: JointShape, slots: number) {
    this.slots = slots;
    this.#memory = memory;
    this.#slotBytes = shape.hidden * ELEMENTS.float32.bytes;
    const rows = (slots * shape.hidden) / shape.row;
    this.tensors = new Map(
      predictorNames(shape).map((name) => {
        const pointer = memory.allocate(slots * this.#slotBytes);
        return [name, runtime.createTensor(memory, pointer, 'float32', [rows, shape.row])];
      }),
    );
    for (const { pointer, bytes } of this.tensors.values()) memory.fill(pointer, 0, bytes);
  }

  /** For tests: sets all states except the zero slot to NaN. */
  poison(): void {
    for (const { pointer, bytes } of this.tensors.values()) {
      this.#memory.fill(pointer + BigInt(this.#slotBytes), 0xff, bytes - this.#slotBytes);
    }
  }

  /** For tests: copies a state of a slot to the host. */
  read(name: string, slot: number): ArrayBuffer {
    const tensor = this.tensors.get(name);
    if (tensor === undefined) throw new Error(`no state is named ${name}`);
    return readBack(this.#memory, tensor.pointer + BigInt(slot * this.#slotBytes), this.#slotBytes);
  }

  release(): void {
    releaseTensors(this.#memory, this.tensors.values());
  }
}

/** Returns the number of bytes that one slot needs on the device. */
export const predictorBytes = (shape: JointShape): number =>
  predictorNames(shape).length * shape.hidden * ELEMENTS.float32.bytes;
