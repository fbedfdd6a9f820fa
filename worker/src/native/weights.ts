import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { ModelError } from '../model/error.ts';
import type { ExternalTensor, OnnxFacts } from '../model/onnx.ts';
import type { Pointer } from './koffi.ts';
import type { DeviceMemory } from './memory.ts';
import type { NativeRuntime } from './runtime.ts';
import { ELEMENTS } from './tensor.ts';
import type { ElementType, NativeTensor } from './tensor.ts';

/** Maximum number of bytes in one copy to the device. */
const STEP_BYTES = 64 * 2 ** 20;

/** Alignment of tensors in bytes. Kernels on the device need it. */
const ALIGNMENT = 256;

/**
 * A file of weights in device memory. The graphs of all contexts share this memory. Otherwise ONNX Runtime would copy
 * the weights to the device for each graph.
 */
export class SharedWeights {
  readonly #runtime: NativeRuntime;
  readonly #memory: DeviceMemory;
  readonly #file: string;
  readonly #bytes: number;
  readonly #block: Pointer;
  /** Tensors by position, type and shape. Graphs that refer to the same weight get the same tensor. */
  readonly #tensors = new Map<string, NativeTensor>();

  /** Copies a file to the device. Throws a ModelError if the file cannot be read. */
  constructor(runtime: NativeRuntime, memory: DeviceMemory, path: string) {
    this.#runtime = runtime;
    this.#memory = memory;
    this.#file = basename(path);
    let handle: number;
    try {
      handle = openSync(path, 'r');
    } catch (cause) {
      throw new ModelError('file_missing', `${path}: the weights of the GPU graphs cannot be read`, { cause });
    }
    try {
      this.#bytes = fstatSync(handle).size;
      this.#block = memory.allocate(this.#bytes);
      this.#copy(handle);
    } catch (error) {
      if (error instanceof ModelError) this.release();
      throw error;
    } finally {
      closeSync(handle);
    }
  }

  /**
   * Returns the floating-point weights of a graph that are in this file, for the option `initializers` of its session.
   * Integer weights are not included, because some kernels read integer weights on the host.
   */
  initializers(graph: string, { external }: OnnxFacts): Map<string, NativeTensor> {
    const found = new Map<string, NativeTensor>();
    for (const [name, place] of external) {
      const type = floatType(place);
      if (type === undefined || place.file !== this.#file) continue;
      if (place.offset % ALIGNMENT !== 0 || place.offset + place.bytes > this.#bytes) {
        const why = `at byte ${place.offset} of ${this.#file}, which is not aligned or past its end`;
        throw new ModelError('graph_mismatch', `${graph}: the weight "${name}" is ${why}`);
      }
      found.set(name, this.#tensor(type, place));
    }
    return found;
  }

  /** Releases the memory. Call it when no session uses the weights any more. */
  release(): void {
    for (const tensor of this.#tensors.values()) tensor.release();
    this.#memory.release(this.#block);
  }

  #tensor(type: ElementType, { offset, shape }: ExternalTensor): NativeTensor {
    const key = [offset, type, ...shape].join();
    let tensor = this.#tensors.get(key);
    if (tensor === undefined) {
      tensor = this.#runtime.createTensor(this.#memory, this.#block + BigInt(offset), type, shape);
      this.#tensors.set(key, tensor);
    }
    return tensor;
  }

  #copy(handle: number): void {
    const staging = this.#memory.allocateHost(Math.min(STEP_BYTES, this.#bytes));
    const buffer = new Uint8Array(staging.buffer);
    try {
      for (let at = 0; at < this.#bytes;) {
        const read = readSync(handle, buffer, 0, buffer.length, at);
        if (read === 0) throw new ModelError('file_missing', `${this.#file}: the file ends at byte ${at}`);
        this.#memory.copyToDevice(this.#block + BigInt(at), staging.pointer, read);
        this.#memory.synchronize();
        at += read;
      }
    } finally {
      this.#memory.releaseHost(staging);
    }
  }
}

function floatType({ type }: ExternalTensor): ElementType | undefined {
  return (['float32', 'float16'] as const).find((name) => ELEMENTS[name].onnx === type);
}
