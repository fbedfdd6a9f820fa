import { bindApi } from './api.ts';
import type { Handle, OrtApi } from './api.ts';
import type { Koffi, Pointer } from './koffi.ts';
import { openLibrary } from './library.ts';
import type { DeviceMemory } from './memory.ts';
import { NativeSession } from './session.ts';
import type { SessionOptions } from './session.ts';
import { NativeTensor } from './tensor.ts';
import type { ElementType } from './tensor.ts';

// The constants below are values from onnxruntime_c_api.h.
/**
 * Log level of fatal errors. All other errors are thrown, so they need no log line. With lower levels, ONNX Runtime
 * would also log each cuDNN plan that it replaces.
 */
const LOG_FATAL = 4;
const OPTIMIZE_ALL = 99;
const DEVICE_ALLOCATOR = 0;
const DEFAULT_MEMORY = 0;

/** ONNX Runtime, called through its C API. Every object that it creates must be released before `release` is called. */
export class NativeRuntime {
  readonly koffi: Koffi;
  readonly version: string;
  readonly #api: OrtApi;
  readonly #env: Handle<'env'>;
  readonly #memory = new Map<DeviceMemory, Handle<'memoryInfo'>>();

  private constructor(koffi: Koffi, version: string, api: OrtApi) {
    this.koffi = koffi;
    this.version = version;
    this.#api = api;
    // ONNX Runtime has one environment per process and counts the handles of this environment. So this handle does not
    // affect the handle of onnxruntime-node.
    this.#env = api.CreateEnv(LOG_FATAL, 'svc-asr');
  }

  /** Opens the library of onnxruntime-node. Throws a NativeError if the library cannot be used. */
  static async open(): Promise<NativeRuntime> {
    const library = await openLibrary();
    return new NativeRuntime(library.koffi, library.version, bindApi(library));
  }

  /**
   * Opens a graph on the device of `memory`. If `memory` has a CUDA stream, the graph runs on this stream. On failure,
   * throws a NativeError or a CudaError with the message of ONNX Runtime.
   */
  createSession(path: string, memory: DeviceMemory, options: SessionOptions): NativeSession {
    const api = this.#api;
    const native = api.CreateSessionOptions();
    try {
      api.SetSessionLogSeverityLevel(native, LOG_FATAL);
      api.SetSessionGraphOptimizationLevel(native, OPTIMIZE_ALL);
      api.SetIntraOpNumThreads(native, options.threads);
      api.SetInterOpNumThreads(native, 1);
      // Idle threads of the session do not busy-wait, because other streams and processes need the cores.
      api.AddSessionConfigEntry(native, 'session.intra_op.allow_spinning', '0');
      for (const [name, { handle }] of options.initializers) api.AddInitializer(native, name, handle);
      if (memory.provider === 'cuda') this.#addCuda(native, cudaSettings(memory, options));
      return new NativeSession(api, this.koffi, api.CreateSession(this.#env, path, native));
    } finally {
      api.ReleaseSessionOptions(native);
    }
  }

  /** Creates a tensor for memory that is already allocated. Release the tensor before its memory. */
  createTensor(memory: DeviceMemory, pointer: Pointer, type: ElementType, shape: readonly number[]): NativeTensor {
    return new NativeTensor(this.#api, this.#memoryInfo(memory), pointer, type, shape);
  }

  /**
   * Releases the objects that the runtime itself has created. Does not release the environment, because the release of
   * its last handle would unload the CUDA provider. A process has only one environment, so memory does not grow with
   * the number of runtimes.
   */
  release(): void {
    for (const info of this.#memory.values()) this.#api.ReleaseMemoryInfo(info);
    this.#memory.clear();
  }

  #memoryInfo(memory: DeviceMemory): Handle<'memoryInfo'> {
    let info = this.#memory.get(memory);
    if (info === undefined) {
      const name = memory.provider === 'cuda' ? 'Cuda' : 'Cpu';
      info = this.#api.CreateMemoryInfo(name, DEVICE_ALLOCATOR, memory.device, DEFAULT_MEMORY);
      this.#memory.set(memory, info);
    }
    return info;
  }

  /** Adds the CUDA provider. Graphs with a node that would run on the CPU are then refused. */
  #addCuda(native: Handle<'sessionOptions'>, values: Readonly<Record<string, string>>): void {
    const api = this.#api;
    const settings = Object.entries(values);
    const cuda = api.CreateCUDAProviderOptions();
    try {
      // One call contains all settings, because each call resets the settings that it does not contain.
      api.UpdateCUDAProviderOptions(
        cuda,
        settings.map(([key]) => key),
        settings.map(([, value]) => value),
        settings.length,
      );
      api.SessionOptionsAppendExecutionProvider_CUDA_V2(native, cuda);
    } finally {
      api.ReleaseCUDAProviderOptions(cuda);
    }
    api.AddSessionConfigEntry(native, 'session.disable_cpu_ep_fallback', '1');
  }
}

/** Returns the settings of the CUDA provider. */
export function cudaSettings(
  { device, stream }: Pick<DeviceMemory, 'device' | 'stream'>,
  { cudaGraphs }: Pick<SessionOptions, 'cudaGraphs'>,
): Record<string, string> {
  return {
    device_id: String(device),
    // Disables TF32, which has a mantissa of only 10 bits. It would change log-mel features by up to 0.5.
    use_tf32: '0',
    cudnn_conv_algo_search: 'HEURISTIC',
    arena_extend_strategy: 'kSameAsRequested',
    enable_cuda_graph: cudaGraphs ? '1' : '0',
    ...(stream === undefined ? {} : { has_user_compute_stream: '1', user_compute_stream: stream.toString() }),
  };
}
