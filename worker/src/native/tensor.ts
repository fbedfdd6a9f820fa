import type { Handle, OrtApi } from './api.ts';
import type { Pointer } from './koffi.ts';
import type { DeviceMemory } from './memory.ts';

/** Element types that the graphs use. Each type has its number in ONNX and the size of an element. */
export const ELEMENTS = {
  float32: { onnx: 1, bytes: 4 },
  int16: { onnx: 5, bytes: 2 },
  int32: { onnx: 6, bytes: 4 },
  int64: { onnx: 7, bytes: 8 },
  float16: { onnx: 10, bytes: 2 },
} as const;

export type ElementType = keyof typeof ELEMENTS;

/**
 * Memory with a type and a shape. The tensor does not own the memory. Release the memory only after the tensor and all
 * bindings of the tensor.
 */
export class NativeTensor {
  readonly handle: Handle<'value'>;
  readonly pointer: Pointer;
  readonly bytes: number;
  readonly #api: OrtApi;

  constructor(api: OrtApi, info: Handle<'memoryInfo'>, pointer: Pointer, type: ElementType, shape: readonly number[]) {
    this.#api = api;
    this.pointer = pointer;
    this.bytes = sizeOf(type, shape);
    const dims = BigInt64Array.from(shape, BigInt);
    const { onnx } = ELEMENTS[type];
    this.handle = api.CreateTensorWithDataAsOrtValue(info, pointer, this.bytes, dims, dims.length, onnx);
  }

  release(): void {
    this.#api.ReleaseValue(this.handle);
  }
}

/** Waits until the device has completed its work. Then releases tensors together with their memory. */
export function releaseTensors(memory: DeviceMemory, tensors: Iterable<NativeTensor>): void {
  memory.synchronize();
  for (const tensor of tensors) {
    tensor.release();
    memory.release(tensor.pointer);
  }
}

/** Returns the size of a tensor in bytes. */
export function sizeOf(type: ElementType, shape: readonly number[]): number {
  return shape.reduce((product, dim) => product * dim, ELEMENTS[type].bytes);
}
