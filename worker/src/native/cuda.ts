import type { LibraryHandle } from 'koffi';
import { CudaError, NativeError } from './error.ts';
import { loadKoffi, pinLibrary } from './koffi.ts';
import type { Koffi, Pointer } from './koffi.ts';
import type { DeviceEvent, DeviceMemory } from './memory.ts';

/**
 * File names of the CUDA runtime, newest first. The loader searches for them in LD_LIBRARY_PATH and in the folders of
 * the system.
 */
const LIBRARIES = ['libcudart.so.13', 'libcudart.so.12'];

// Values from driver_types.h.
const STREAM_NON_BLOCKING = 1;
const HOST_TO_DEVICE = 1;
const DEVICE_TO_HOST = 2;
const NOT_READY = 600;
/**
 * Flag with which a thread sleeps while it waits for an event. Without this flag, the thread polls and occupies a core.
 */
const EVENT_BLOCKING_SYNC = 1;

/** Options of the memory of a GPU. */
export interface CudaOptions {
  readonly device: number;
  /**
   * Whether runs use the same CUDA stream as copies, so that no synchronization between them is needed. Sessions must
   * then be created with this stream.
   */
  readonly sharesStream: boolean;
}

/**
 * Returns an object that provides access to the memory of a GPU. Throws a NativeError if the CUDA runtime is not
 * installed. Throws a CudaError if a CUDA call fails. The methods of the object throw the same error.
 */
export async function createCudaMemory({ device, sharesStream }: CudaOptions): Promise<DeviceMemory> {
  const koffi = await loadKoffi();
  const runtime = bindRuntime(koffi);
  runtime.cudaSetDevice(device);
  const stream = runtime.cudaStreamCreateWithFlags(STREAM_NON_BLOCKING);
  return {
    provider: 'cuda',
    device,
    stream: sharesStream ? stream : undefined,
    allocate: (bytes) => runtime.cudaMalloc(bytes),
    release: (pointer) => runtime.cudaFree(pointer),
    allocateHost: (bytes) => {
      const pointer = runtime.cudaHostAlloc(bytes, 0);
      return { pointer, buffer: koffi.view(pointer, bytes) };
    },
    releaseHost: ({ pointer }) => runtime.cudaFreeHost(pointer),
    copyToDevice: (to, from, bytes) => runtime.cudaMemcpyAsync(to, from, bytes, HOST_TO_DEVICE, stream),
    copyToHost: (to, from, bytes) => runtime.cudaMemcpyAsync(to, from, bytes, DEVICE_TO_HOST, stream),
    fill: (pointer, byte, bytes) => runtime.cudaMemsetAsync(pointer, byte, bytes, stream),
    createEvent: () => new CudaEvent(runtime, stream),
    synchronize: () => runtime.cudaStreamSynchronize(stream),
    freeBytes: () => runtime.freeBytes(),
    close: () => runtime.cudaStreamDestroy(stream),
  };
}

type Runtime = ReturnType<typeof bindRuntime>;

/** Returns the functions of the CUDA runtime that the worker uses. */
function bindRuntime(koffi: Koffi) {
  const library = loadRuntime(koffi, LIBRARIES);
  const errorString = library.func('cudaGetErrorString', 'str', ['int']);
  const lastError = library.func('cudaGetLastError', 'int', []);
  const fail = (name: string, status: number): never => {
    lastError();
    throw new CudaError(`${name}: CUDA error ${status}: ${errorString(status)}`);
  };
  const call = (name: string, ...types: string[]) => {
    const native = library.func(name, 'int', types);
    return (...args: (Pointer | number)[]): void => {
      const status = native(...args) as number;
      if (status !== 0) fail(name, status);
    };
  };
  const create = (name: string, ...types: string[]) => {
    const native = library.func(name, 'int', [koffi.out(koffi.pointer('void *')), ...types]);
    return (...args: number[]): Pointer => {
      const out: (Pointer | null)[] = [null];
      const status = native(out, ...args) as number;
      if (status !== 0 || out[0] === null || out[0] === undefined) return fail(name, status);
      return out[0];
    };
  };
  const size = koffi.out(koffi.pointer('size_t'));
  const memGetInfo = library.func('cudaMemGetInfo', 'int', [size, size]);
  const elapsedTime = library.func('cudaEventElapsedTime', 'int', [
    koffi.out(koffi.pointer('float')),
    'void *',
    'void *',
  ]);
  const eventSynchronize = library.func('cudaEventSynchronize', 'int', ['void *']);
  const eventQuery = library.func('cudaEventQuery', 'int', ['void *']);
  return {
    cudaSetDevice: call('cudaSetDevice', 'int'),
    cudaStreamCreateWithFlags: create('cudaStreamCreateWithFlags', 'uint'),
    cudaStreamSynchronize: call('cudaStreamSynchronize', 'void *'),
    cudaStreamDestroy: call('cudaStreamDestroy', 'void *'),
    cudaMalloc: create('cudaMalloc', 'size_t'),
    cudaFree: call('cudaFree', 'void *'),
    cudaHostAlloc: create('cudaHostAlloc', 'size_t', 'uint'),
    cudaFreeHost: call('cudaFreeHost', 'void *'),
    cudaMemcpyAsync: call('cudaMemcpyAsync', 'void *', 'void *', 'size_t', 'int', 'void *'),
    cudaMemsetAsync: call('cudaMemsetAsync', 'void *', 'int', 'size_t', 'void *'),
    cudaEventCreateWithFlags: create('cudaEventCreateWithFlags', 'uint'),
    cudaEventRecord: call('cudaEventRecord', 'void *', 'void *'),
    cudaEventSynchronize: call('cudaEventSynchronize', 'void *'),
    cudaEventDestroy: call('cudaEventDestroy', 'void *'),
    /** Reports whether an event is complete. */
    isDone: (event: Pointer): boolean => {
      const status = eventQuery(event) as number;
      if (status === 0) return true;
      if (status !== NOT_READY) return fail('cudaEventQuery', status);
      // The CUDA runtime also stores the status NOT_READY as its last error. This call clears it, because ONNX Runtime
      // would report it as a failure of its next kernel.
      lastError();
      return false;
    },
    /** Resolves when an event is complete. A thread of the thread pool waits for the event. */
    whenDone: (event: Pointer): Promise<void> =>
      new Promise((resolve, reject) => {
        eventSynchronize.async(event, (error: Error | null, status: number) => {
          if (error === null && status === 0) resolve();
          else reject(new CudaError(`cudaEventSynchronize: ${error?.message ?? `CUDA error ${status}`}`));
        });
      }),
    elapsedMs: (from: Pointer, to: Pointer): number => {
      const out = [0];
      const status = elapsedTime(out, from, to) as number;
      return status === 0 ? (out[0] ?? 0) : fail('cudaEventElapsedTime', status);
    },
    freeBytes: (): number => {
      const [free, total] = [[0], [0]];
      const status = memGetInfo(free, total) as number;
      return status === 0 ? Number(free[0]) : fail('cudaMemGetInfo', status);
    },
    /** Reference that keeps the library loaded. koffi unloads a library that no object references. */
    library,
  };
}

/** Loads the first of these libraries that is installed. Throws a NativeError if none of them is installed. */
export function loadRuntime(koffi: Koffi, names: readonly string[]): LibraryHandle {
  const causes: unknown[] = [];
  for (const name of names) {
    try {
      const library = koffi.load(name);
      pinLibrary(koffi, name);
      return library;
    } catch (cause) {
      causes.push(cause);
    }
  }
  const next = 'use the image svc-asr-worker-cuda, or set LD_LIBRARY_PATH to the folder of the CUDA runtime';
  throw new NativeError('library_missing', `${names.join(' or ')} cannot be loaded: ${next}`, {
    cause: new AggregateError(causes),
  });
}

class CudaEvent implements DeviceEvent {
  readonly #runtime: Runtime;
  readonly #stream: Pointer;
  readonly #event: Pointer;

  constructor(runtime: Runtime, stream: Pointer) {
    this.#runtime = runtime;
    this.#stream = stream;
    this.#event = runtime.cudaEventCreateWithFlags(EVENT_BLOCKING_SYNC);
  }

  record(): void {
    this.#runtime.cudaEventRecord(this.#event, this.#stream);
  }

  isDone(): boolean {
    return this.#runtime.isDone(this.#event);
  }

  wait(): void {
    this.#runtime.cudaEventSynchronize(this.#event);
  }

  done(): Promise<void> {
    return this.#runtime.whenDone(this.#event);
  }

  msSince(earlier: DeviceEvent): number {
    return earlier instanceof CudaEvent ? this.#runtime.elapsedMs(earlier.#event, this.#event) : 0;
  }

  release(): void {
    this.#runtime.cudaEventDestroy(this.#event);
  }
}
