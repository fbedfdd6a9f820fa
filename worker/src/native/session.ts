import type { Port, Ports } from '../model/ports.ts';
import type { Handle, OrtApi } from './api.ts';
import type { Koffi, Pointer } from './koffi.ts';
import { ELEMENTS } from './tensor.ts';
import type { NativeTensor } from './tensor.ts';

/** Options of a session. */
export interface SessionOptions {
  /** Number of threads that compute a run on CPUs. */
  readonly threads: number;
  /** Whether runs on a GPU are captured as CUDA graphs, one for each graph id. */
  readonly cudaGraphs: boolean;
  /**
   * Weights in device memory, by name. They replace the weights in the file. Release the session before them.
   * Sessions that use the same tensors share the memory of these tensors.
   */
  readonly initializers: ReadonlyMap<string, NativeTensor>;
}

/** Inputs and outputs of a run, and its options. */
export interface BindingOptions {
  readonly inputs: ReadonlyMap<string, NativeTensor>;
  readonly outputs: ReadonlyMap<string, NativeTensor>;
  /** Id of the CUDA graph of this binding. Undefined if CUDA graphs are not used. */
  readonly graphId: number | undefined;
  /** Whether a run waits until the device has completed it. */
  readonly synchronize: boolean;
}

/**
 * A graph that runs through the C API of ONNX Runtime. All calls must come from the thread that created this object.
 */
export class NativeSession {
  readonly #api: OrtApi;
  readonly #koffi: Koffi;
  readonly #session: Handle<'session'>;
  readonly #allocator: Handle<'allocator'>;
  #isReleased = false;

  constructor(api: OrtApi, koffi: Koffi, session: Handle<'session'>) {
    this.#api = api;
    this.#koffi = koffi;
    this.#session = session;
    this.#allocator = api.GetAllocatorWithDefaultOptions();
  }

  /** Returns the inputs and outputs of the graph. `file` is the name of the graph in error messages. */
  ports(file: string): Ports {
    const api = this.#api;
    const session = this.#session;
    const list = (
      count: number,
      nameOf: OrtApi['SessionGetInputName'],
      typeOf: OrtApi['SessionGetInputTypeInfo'],
    ): Port[] =>
      Array.from({ length: count }, (_, index) => {
        const name = this.#text(nameOf(session, index, this.#allocator));
        const info = typeOf(session, index);
        try {
          return { name, ...this.#describe(info) };
        } finally {
          api.ReleaseTypeInfo(info);
        }
      });
    return {
      file,
      inputs: list(api.SessionGetInputCount(session), api.SessionGetInputName, api.SessionGetInputTypeInfo),
      outputs: list(api.SessionGetOutputCount(session), api.SessionGetOutputName, api.SessionGetOutputTypeInfo),
    };
  }

  /** Returns a value of the custom metadata, or undefined if there is no such entry. */
  metadata(key: string): string | undefined {
    const metadata = this.#api.SessionGetModelMetadata(this.#session);
    try {
      const value = this.#api.ModelMetadataLookupCustomMetadataMap(metadata, this.#allocator, key) as Pointer | null;
      return value === null ? undefined : this.#text(value);
    } finally {
      this.#api.ReleaseModelMetadata(metadata);
    }
  }

  /** Binds tensors to the inputs and outputs. Release the binding before the tensors. */
  bind(options: BindingOptions): NativeBinding {
    return new NativeBinding(this.#api, this.#session, options);
  }

  /** Releases the graph and its CUDA graphs. A second call does nothing. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#api.ReleaseSession(this.#session);
  }

  #describe(info: Handle<'typeInfo'>): { type: string; shape: (number | string)[] } {
    const tensor = this.#api.CastTypeInfoToTensorInfo(info) as Handle<'tensorInfo'> | null;
    if (tensor === null) return { type: 'no tensor', shape: [] };
    const onnx = this.#api.GetTensorElementType(tensor);
    const dims = new BigInt64Array(this.#api.GetDimensionsCount(tensor));
    this.#api.GetDimensions(tensor, dims, dims.length);
    const known = Object.entries(ELEMENTS).find(([, element]) => element.onnx === onnx);
    const shape = Array.from(dims, (dim) => (dim < 0 ? 'any' : Number(dim)));
    return { type: known?.[0] ?? `ONNX type ${onnx}`, shape };
  }

  /** Returns a copy of a string of ONNX Runtime and frees the original. */
  #text(pointer: Pointer): string {
    try {
      return this.#koffi.decode.string(pointer);
    } finally {
      this.#api.AllocatorFree(this.#allocator, pointer);
    }
  }
}

/** Tensors at fixed addresses that a session reads and writes. */
export class NativeBinding {
  readonly #api: OrtApi;
  readonly #session: Handle<'session'>;
  readonly #binding: Handle<'binding'>;
  readonly #options: Handle<'runOptions'>;
  /**
   * The bound tensors. ONNX Runtime stores only their addresses. This field keeps the tensor objects from being
   * garbage-collected.
   */
  readonly #tensors: readonly NativeTensor[];

  constructor(api: OrtApi, session: Handle<'session'>, { inputs, outputs, graphId, synchronize }: BindingOptions) {
    this.#api = api;
    this.#session = session;
    this.#tensors = [...inputs.values(), ...outputs.values()];
    this.#binding = api.CreateIoBinding(session);
    this.#options = api.CreateRunOptions();
    try {
      for (const [name, { handle }] of inputs) api.BindInput(this.#binding, name, handle);
      for (const [name, { handle }] of outputs) api.BindOutput(this.#binding, name, handle);
      if (graphId !== undefined) api.AddRunConfigEntry(this.#options, 'gpu_graph_id', String(graphId));
      if (!synchronize) api.AddRunConfigEntry(this.#options, 'disable_synchronize_execution_providers', '1');
    } catch (error) {
      this.release();
      throw error;
    }
  }

  /** Number of bound tensors. */
  get size(): number {
    return this.#tensors.length;
  }

  /** Runs the graph on the calling thread. The first run with a graph id also captures the CUDA graph of this id. */
  run(): void {
    this.#api.RunWithBinding(this.#session, this.#options, this.#binding);
  }

  release(): void {
    this.#api.ReleaseIoBinding(this.#binding);
    this.#api.ReleaseRunOptions(this.#options);
  }
}
