import { NativeError } from './error.ts';

/** Module that calls functions of native libraries. */
export type Koffi = typeof import('koffi');

/** Address in host or device memory. */
export type Pointer = bigint;

/** Function of a native library. TypeScript does not check its arguments, so the caller must pass the right types. */
export type NativeFunction = (...args: unknown[]) => unknown;

/** Stack size for native calls. ONNX Runtime needs more than the 2 MiB that koffi reserves by default. */
const STACK_BYTES = 16 * 2 ** 20;

// Values from dlfcn.h of Linux.
const RTLD_NOW = 0x2;
const RTLD_NODELETE = 0x1000;

/**
 * Keeps a library loaded until the process ends. Otherwise koffi would unload the library when the thread that loaded
 * it ends. The libraries of ONNX Runtime and CUDA contain state that the next engine of the process needs.
 */
export function pinLibrary(koffi: Koffi, name: string): void {
  koffi.load(null).func('dlopen', 'void *', ['str', 'int'])(name, RTLD_NOW | RTLD_NODELETE);
}

/** Loads koffi. Only the native backend calls this function, so a worker on CPUs does not need koffi. */
export async function loadKoffi(): Promise<Koffi> {
  let koffi: Koffi;
  try {
    koffi = await import('koffi');
  } catch (cause) {
    const platform = `${process.platform}-${process.arch}`;
    const next = `install the optional package @koromix/koffi-${platform}, or set PROVIDER=cpu`;
    throw new NativeError('library_missing', `koffi cannot be loaded on ${platform}: ${next}`, { cause });
  }
  // The stack size must be set before the first library is loaded, because koffi refuses to change it later.
  if ((koffi.config().sync_stack_size ?? 0) < STACK_BYTES) koffi.config({ sync_stack_size: STACK_BYTES });
  return koffi;
}
