import type { DeviceArenas } from './arenas.ts';
import { inputsOf, outputsOf } from './contract.ts';
import type { GraphShape, RowPort } from './contract.ts';
import type { Pointer } from './koffi.ts';
import { roundUp } from './memory.ts';
import type { DeviceMemory } from './memory.ts';
import type { NativeRuntime } from './runtime.ts';
import type { NativeBinding, NativeSession } from './session.ts';
import { sizeOf } from './tensor.ts';
import type { NativeTensor } from './tensor.ts';

/** Alignment of a tensor in a block, which is that of CUDA's own allocations. */
const ALIGNMENT = 256;

/** Tensor in a block of memory. */
export interface Field extends RowPort {
  readonly offset: number;
}

/** Tensors that lie in one block, so that one copy moves all of them. */
export interface Layout {
  readonly fields: readonly Field[];
  readonly bytes: number;
}

/** Returns the positions of a batch's tensors in a block. */
export function buildLayout(ports: readonly RowPort[], rows: number): Layout {
  let bytes = 0;
  const fields = ports.map((port) => {
    const offset = bytes;
    bytes = roundUp(offset + sizeOf(port.type, [rows, ...port.dims]), ALIGNMENT);
    return { ...port, offset };
  });
  return { fields, bytes };
}

/** Device memory of the batches of one size, bound to the graph. Batches of the size use it one after the other. */
export class Bucket {
  readonly size: number;
  readonly shape: GraphShape;
  readonly inputs: Layout;
  readonly outputs: Layout;
  readonly inputBlock: Pointer;
  readonly outputBlock: Pointer;
  /** Output of a transducer's encoder, which stays on the device. Undefined for CTC. */
  readonly encoded: NativeTensor | undefined;
  readonly #memory: DeviceMemory;
  readonly #tensors: readonly NativeTensor[];
  readonly #binding: NativeBinding;

  constructor(
    runtime: NativeRuntime,
    memory: DeviceMemory,
    session: NativeSession,
    shape: GraphShape,
    arenas: DeviceArenas,
    size: number,
    graphId: number | undefined,
  ) {
    this.#memory = memory;
    this.shape = shape;
    this.size = size;
    this.inputs = buildLayout(inputsOf(shape), size);
    this.outputs = buildLayout(outputsOf(shape), size);
    this.inputBlock = memory.allocate(this.inputs.bytes);
    this.outputBlock = memory.allocate(this.outputs.bytes);
    const tensorsOf = ({ fields }: Layout, block: Pointer): [string, NativeTensor][] =>
      fields.map(({ name, type, dims, offset }) => [
        name,
        runtime.createTensor(memory, block + BigInt(offset), type, [size, ...dims]),
      ]);
    const inputs = tensorsOf(this.inputs, this.inputBlock);
    const outputs = tensorsOf(this.outputs, this.outputBlock);
    const arenaOutputs = [...arenas.tensors].map(([name, tensor]) => [`${name}_next`, tensor] as const);
    this.encoded = new Map(outputs).get('encoded');
    this.#tensors = [...inputs, ...outputs].map(([, tensor]) => tensor);
    this.#binding = session.bind({
      inputs: new Map([...inputs, ...arenas.tensors]),
      outputs: new Map([...outputs, ...arenaOutputs]),
      graphId,
      // On a shared stream the device keeps the order of copies and runs, and the host need not wait.
      synchronize: memory.stream === undefined,
    });
  }

  /** Runs the graph on the content of the input block. */
  run(): void {
    if (this.#memory.stream === undefined) this.#memory.synchronize();
    this.#binding.run();
  }

  release(): void {
    this.#binding.release();
    for (const tensor of this.#tensors) tensor.release();
    this.#memory.release(this.inputBlock);
    this.#memory.release(this.outputBlock);
  }
}
