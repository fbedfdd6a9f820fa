import type { RowPort } from './contract.ts';
import type { Pointer } from './koffi.ts';
import { roundUp } from './memory.ts';
import type { DeviceMemory } from './memory.ts';
import type { NativeRuntime } from './runtime.ts';
import type { NativeBinding, NativeSession } from './session.ts';
import { sizeOf } from './tensor.ts';
import type { NativeTensor } from './tensor.ts';

/** Alignment of a tensor in a block. CUDA allocates memory with the same alignment. */
const ALIGNMENT = 256;

/** A tensor in a block of memory. `offset` is its position in the block. */
export interface Field extends RowPort {
  readonly offset: number;
}

/** Tensors that are stored in one block of memory, so that a single copy transfers all of them. */
export interface Layout {
  readonly fields: readonly Field[];
  readonly bytes: number;
}

/** Returns the positions of tensors in a block. Each tensor has `rows` rows. */
export function buildLayout(ports: readonly RowPort[], rows: number): Layout {
  let bytes = 0;
  const fields = ports.map((port) => {
    const offset = bytes;
    bytes = roundUp(offset + sizeOf(port.type, [rows, ...port.dims]), ALIGNMENT);
    return { ...port, offset };
  });
  return { fields, bytes };
}

/** Returns the offset of a tensor in its block. */
export function offsetOf({ fields }: Layout, name: string): number {
  const field = fields.find((one) => one.name === name);
  if (field === undefined) throw new Error(`the layout has no ${name}`);
  return field.offset;
}

/** Options of a bucket. A bucket is the device memory for batches of one size. */
export interface BucketOptions {
  /** Number of rows in a batch. */
  readonly size: number;
  /** Tensors that are copied to the device before a run. */
  readonly inputs: readonly RowPort[];
  /** Tensors that a run writes. */
  readonly outputs: readonly RowPort[];
  /** Whether the outputs are copied to the host. Otherwise another graph reads them on the device. */
  readonly copiesOut: boolean;
  /** Inputs that are already on the device and are not copied. */
  readonly fixed: ReadonlyMap<string, NativeTensor>;
  /**
   * State tensors that runs read and change in place, by the name of their input. The output for the same tensor has
   * the suffix `_next`.
   */
  readonly state: ReadonlyMap<string, NativeTensor>;
  /** Id of the bucket's CUDA graph. Undefined if CUDA graphs are not used. */
  readonly graphId: number | undefined;
}

/**
 * Device memory for batches of one size, bound to the inputs and outputs of a graph. All batches of this size use this
 * memory one after the other.
 */
export class Bucket {
  readonly size: number;
  readonly inputs: Layout;
  readonly outputs: Layout;
  readonly copiesOut: boolean;
  readonly inputBlock: Pointer;
  readonly outputBlock: Pointer;
  readonly #memory: DeviceMemory;
  readonly #inputs: ReadonlyMap<string, NativeTensor>;
  readonly #outputs: ReadonlyMap<string, NativeTensor>;
  readonly #binding: NativeBinding;

  constructor(runtime: NativeRuntime, memory: DeviceMemory, session: NativeSession, options: BucketOptions) {
    const { size, fixed, state, graphId } = options;
    this.#memory = memory;
    this.size = size;
    this.copiesOut = options.copiesOut;
    this.inputs = buildLayout(options.inputs, size);
    this.outputs = buildLayout(options.outputs, size);
    this.inputBlock = memory.allocate(this.inputs.bytes);
    this.outputBlock = memory.allocate(this.outputs.bytes);
    const tensorsOf = ({ fields }: Layout, block: Pointer): Map<string, NativeTensor> =>
      new Map(
        fields.map(({ name, type, dims, offset }) => [
          name,
          runtime.createTensor(memory, block + BigInt(offset), type, [size, ...dims]),
        ]),
      );
    this.#inputs = tensorsOf(this.inputs, this.inputBlock);
    this.#outputs = tensorsOf(this.outputs, this.outputBlock);
    const next = [...state].map(([name, tensor]) => [`${name}_next`, tensor] as const);
    this.#binding = session.bind({
      inputs: new Map([...this.#inputs, ...fixed, ...state]),
      outputs: new Map([...this.#outputs, ...next]),
      graphId,
      // If copies and runs share a CUDA stream, the device executes them in order. So the host does not need to wait
      // between them.
      synchronize: memory.stream === undefined,
    });
  }

  /** Returns the tensor of an output on the device, or undefined if there is no such output. */
  output(name: string): NativeTensor | undefined {
    return this.#outputs.get(name);
  }

  /** Runs the graph on the content of the input block. */
  run(): void {
    if (this.#memory.stream === undefined) this.#memory.synchronize();
    this.#binding.run();
  }

  release(): void {
    this.#binding.release();
    for (const tensor of [...this.#inputs.values(), ...this.#outputs.values()]) tensor.release();
    this.#memory.release(this.inputBlock);
    this.#memory.release(this.outputBlock);
  }
}
