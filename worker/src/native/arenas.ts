import { arenaNames } from './contract.ts';
import type { StateShape } from './contract.ts';
import { readBack } from './memory.ts';
import type { DeviceMemory } from './memory.ts';
import type { NativeRuntime } from './runtime.ts';
import { ELEMENTS, releaseTensors } from './tensor.ts';
import type { NativeTensor } from './tensor.ts';

/** Capacity of the arenas. */
export interface ArenaSize {
  /** Number of frames of keys and values, including the zero page and the scratch page. */
  readonly frames: number;
  /** Number of tails, including the zero slot and the scratch slot. */
  readonly slots: number;
  /** Number of frames in the largest page, which is the largest chunk of all contexts. */
  readonly pageFrames: number;
}

/**
 * Memory for the state of streams on the device: keys, values and convolution tails of each layer. The graphs of all
 * contexts share this memory.
 *
 * The first `pageFrames` frames are the zero page, which is never written. Graphs read it as the past before the start
 * of an utterance. The next `pageFrames` frames are the scratch page, to which padding rows write. In the same way,
 * tail slot 0 contains zeros and tail slot 1 is for padding rows.
 */
export class DeviceArenas {
  static readonly zeroFrame = 0;
  static readonly zeroSlot = 0;
  static readonly scratchSlot = 1;
  /** First slot for the convolution tail of a stream. It follows the zero slot and the scratch slot. */
  static readonly firstSlot = 2;

  readonly state: StateShape;
  readonly size: ArenaSize;
  readonly scratchFrame: number;
  /** First frame after the zero page and the scratch page. The pages of streams start here. */
  readonly firstFrame: number;
  /** Tensors by the name of the graph input that they are bound to. */
  readonly tensors: ReadonlyMap<string, NativeTensor>;
  readonly #memory: DeviceMemory;

  constructor(runtime: NativeRuntime, memory: DeviceMemory, state: StateShape, size: ArenaSize) {
    this.state = state;
    this.size = size;
    this.scratchFrame = size.pageFrames;
    this.firstFrame = 2 * size.pageFrames;
    this.#memory = memory;
    const rowsPerFrame = state.width / state.row;
    const rows = { frames: size.frames * rowsPerFrame, tails: size.slots * state.tail * rowsPerFrame };
    this.tensors = new Map(
      arenaNames(state).map(({ name, kind }) => {
        const pointer = memory.allocate(bytesOf(state, size)[kind]);
        return [name, runtime.createTensor(memory, pointer, state.precision, [rows[kind], state.row])];
      }),
    );
    this.clear();
  }

  /**
   * Sets all state to zero. Otherwise memory that was never written could contain NaN. A mask that multiplies by zero
   * does not remove NaN.
   */
  clear(): void {
    for (const { pointer, bytes } of this.tensors.values()) this.#memory.fill(pointer, 0, bytes);
  }

  /** For tests: sets all state except the zero page and the zero slot to NaN. */
  poison(): void {
    for (const { name, kind } of arenaNames(this.state)) {
      const { pointer, bytes } = this.#tensor(name);
      const zeros = kind === 'frames' ? this.#frameBytes * this.size.pageFrames : this.#frameBytes * this.state.tail;
      // A value with all bits set is NaN in both precisions.
      this.#memory.fill(pointer + BigInt(zeros), 0xff, bytes - zeros);
    }
  }

  /** For tests: copies frames of an arena to the host. A tail has `state.tail` frames. */
  read(name: string, firstFrame: number, frames: number): ArrayBuffer {
    const from = this.#tensor(name).pointer + BigInt(firstFrame * this.#frameBytes);
    return readBack(this.#memory, from, frames * this.#frameBytes);
  }

  release(): void {
    releaseTensors(this.#memory, this.tensors.values());
  }

  get #frameBytes(): number {
    return this.state.width * ELEMENTS[this.state.precision].bytes;
  }

  #tensor(name: string): NativeTensor {
    const tensor = this.tensors.get(name);
    if (tensor === undefined) throw new Error(`no arena is named ${name}`);
    return tensor;
  }
}

/** Returns the number of bytes that arenas of this size need on the device. */
export function arenaBytes(state: StateShape, size: ArenaSize): number {
  const { frames, tails } = bytesOf(state, size);
  return state.layers * (2 * frames + tails);
}

function bytesOf({ width, tail, precision }: StateShape, { frames, slots }: ArenaSize) {
  const frameBytes = width * ELEMENTS[precision].bytes;
  return { frames: frames * frameBytes, tails: slots * tail * frameBytes };
}
