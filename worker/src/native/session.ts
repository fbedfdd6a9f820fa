import type { Port, Ports } from '../model/ports.ts';
import type { Handle, OrtApi } from './api.ts';
import type { Koffi, Pointer } from './koffi.ts';
import { ELEMENTS } from './tensor.ts';
import type { NativeTensor } from './tensor.ts';

/** Options of a session. */
export interface SessionOptions {
  /** Number of threads of a run on CPUs. */
  readonly threads: number;
  /** Whether runs on a GPU are captured as CUDA graphs, one for each graph id. */
  readonly cudaGraphs: boolean;
  /**
   * Weights in device memory, by name, which replace the weights in the file. They must outlive the session. Sessions
   * with the same tensors share their memory.
   */
  readonly initializers: ReadonlyMap<string, NativeTensor>;
}

/** Inputs and outputs of a run, and its options. */
export interface BindingOptions {
  readonly inputs: ReadonlyMap<string, NativeTensor>;
  readonly outputs: ReadonlyMap<string, NativeTensor>;
  /** Id of the CUDA graph of this binding. Undefined if CUDA graphs are not used. */
  readonly graphId: number | undefined;
  /** Whether a run waits until the device is done. */
  readonly synchronize: boolean;
}

/** A graph that is run through the C API. All calls must come from the thread that created it. */
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

  /** Returns the inputs and outputs. `file` is the name of the graph in error messages. */
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

  /** Returns an entry of the custom metadata. Undefined if there is no such entry. */
  metadata(key: string): string | undefined {
    const metadata = this.#api.SessionGetModelMetadata(this.#session);
    try {
      const value = this.#api.ModelMetadataLookupCustomMetadataMap(metadata, this.#allocator, key) as Pointer | null;
      return value === null ? undefined : this.#text(value);
    } finally {
      this.#api.ReleaseModelMetadata(metadata);
    }
  }

  /** Binds tensors. They must outlive the binding. */
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

  /** Copies a string of ONNX Runtime and frees it. */
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
  /** The bound tensors. ONNX Runtime stores only their addresses, so this reference keeps the objects alive. */
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

  /** Runs the graph on the calling thread. The first run with a graph id captures its CUDA graph. */
  run(): void {
    this.#api.RunWithBinding(this.#session, this.#options, this.#binding);
  }

  release(): void {
    this.#api.ReleaseIoBinding(this.#binding);
    this.#api.ReleaseRunOptions(this.#options);
  }
}
