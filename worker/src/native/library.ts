import { readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { LibraryHandle, TypeObject } from 'koffi';
import { NativeError } from './error.ts';
import { loadKoffi, pinLibrary } from './koffi.ts';
import type { Koffi, NativeFunction, Pointer } from './koffi.ts';

/** A loaded library of ONNX Runtime whose release has been checked. */
export interface OrtLibrary {
  readonly koffi: Koffi;
  /** Address of the function table (`OrtApi`). */
  readonly table: Pointer;
  readonly version: string;
  /** Reference that keeps the library loaded. koffi unloads a library that no object references. */
  readonly handle: LibraryHandle;
}

/** File of a library, and the version that it must have. */
export interface LibrarySource {
  readonly file: string;
  readonly version: string;
}

let shared: Promise<OrtLibrary> | undefined;

/** Loads the same library file that onnxruntime-node uses. Later calls return the object of the first call. */
export function openLibrary(): Promise<OrtLibrary> {
  shared ??= loadLibrary(locateLibrary());
  return shared;
}

/**
 * Returns the library file in the package of onnxruntime-node. The worker must use this file, because two copies of
 * ONNX Runtime in one process would not share memory.
 */
export function locateLibrary(): LibrarySource {
  const manifest = createRequire(import.meta.url).resolve('onnxruntime-node/package.json');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  const folder = join(dirname(manifest), 'bin/napi-v6', process.platform, process.arch);
  return { file: join(folder, 'libonnxruntime.so.1'), version };
}

/**
 * Loads a library of ONNX Runtime. Throws a NativeError if the file is missing or has a different release than
 * `version`.
 */
export async function loadLibrary({ file, version }: LibrarySource): Promise<OrtLibrary> {
  const koffi = await loadKoffi();
  let handle: LibraryHandle;
  let base: Pointer;
  try {
    handle = koffi.load(file);
    base = handle.func('OrtGetApiBase', 'void *', [])() as Pointer;
  } catch (cause) {
    const next = 'run "npm ci", or use an image of the worker for this platform';
    throw new NativeError('library_missing', `${file} is not a library of ONNX Runtime: ${next}`, { cause });
  }
  checkMapped(file);
  pinLibrary(koffi, file);
  // OrtApiBase contains two functions: GetApi at position 0 and GetVersionString at position 1.
  const getApi = functionAt(koffi, base, 0, koffi.proto('void *', ['uint32_t']));
  const actual = functionAt(koffi, base, 1, koffi.proto('str', []))() as string;
  if (releaseOf(actual) !== releaseOf(version)) {
    const next = 'install the library and onnxruntime-node of one release';
    throw new NativeError('version_mismatch', `${file} is ONNX Runtime ${actual}, expected ${version}: ${next}`);
  }
  // The version number of the API is the minor version of the release.
  const table = getApi(Number(version.split('.')[1])) as Pointer | null;
  if (table === null) {
    throw new NativeError('version_mismatch', `${file} does not offer the API of ONNX Runtime ${version}`);
  }
  return { koffi, table, version: actual, handle };
}

/** Returns the function at a position in a table of function pointers. */
export function functionAt(koffi: Koffi, table: Pointer, index: number, type: TypeObject): NativeFunction {
  const pointer = koffi.decode(table, index * koffi.sizeof('void *'), 'void *') as Pointer;
  return koffi.decode(pointer, type) as NativeFunction;
}

/** Throws if the process has loaded a different copy of ONNX Runtime than this file. */
function checkMapped(file: string): void {
  const maps = readFileSync('/proc/self/maps', 'utf8');
  const mapped = maps.split('\n').flatMap((line) => /\/.*libonnxruntime\.so.*$/.exec(line) ?? []);
  if (mapped.includes(realpathSync(file))) return;
  const others = [...new Set(mapped)].join(', ');
  throw new NativeError('version_mismatch', `the process loaded ${others || 'no library'} instead of ${file}`);
}

/** Returns the major and minor version of a release, such as 1.20. */
const releaseOf = (version: string): string => version.split('.').slice(0, 2).join('.');
