import { errorOf } from './error.ts';
import type { Koffi, NativeFunction, Pointer } from './koffi.ts';
import { functionAt } from './library.ts';
import type { OrtLibrary } from './library.ts';

/**
 * Address of an object of ONNX Runtime. Each kind of object has its own type, so that the compiler detects an address
 * of the wrong kind.
 */
export type Handle<Kind extends string> = Pointer & { readonly kind?: Kind };

/** TypeScript types of arguments and results of C functions, by kind of value. */
interface Values {
  int: number;
  size: number;
  text: string;
  texts: readonly string[];
  dims: BigInt64Array;
  data: Pointer;
  env: Handle<'env'>;
  session: Handle<'session'>;
  sessionOptions: Handle<'sessionOptions'>;
  cudaOptions: Handle<'cudaOptions'>;
  runOptions: Handle<'runOptions'>;
  binding: Handle<'binding'>;
  value: Handle<'value'>;
  memoryInfo: Handle<'memoryInfo'>;
  allocator: Handle<'allocator'>;
  metadata: Handle<'metadata'>;
  typeInfo: Handle<'typeInfo'>;
  tensorInfo: Handle<'tensorInfo'>;
}
type Kind = keyof Values;

/** C types of the kinds that are not addresses of objects. */
const C_TYPES: Partial<Record<Kind, string>> = {
  int: 'int',
  size: 'size_t',
  text: 'str',
  texts: 'str *',
  dims: 'int64_t *',
};

/**
 * Index of a function in the function table of ONNX Runtime, with the kinds of its arguments. `result` is the kind of
 * the value that the function writes through its last pointer.
 */
interface Entry<Arguments extends readonly Kind[], Result extends Kind | undefined> {
  readonly index: number;
  readonly args: Arguments;
  readonly result: Result;
}

function entry<const Arguments extends readonly Kind[]>(index: number, args: Arguments): Entry<Arguments, undefined>;
function entry<const Arguments extends readonly Kind[], Result extends Kind>(
  index: number,
  args: Arguments,
  result: Result,
): Entry<Arguments, Result>;
function entry(index: number, args: readonly Kind[], result?: Kind): Entry<readonly Kind[], Kind | undefined> {
  return { index, args, result };
}

/**
 * Functions that return a status, with their positions in `struct OrtApi` of onnxruntime_c_api.h. Later releases add
 * functions at the end of this table and never change a position.
 */
const CALLS = {
  CreateEnv: entry(3, ['int', 'text'], 'env'),
  CreateSession: entry(7, ['env', 'text', 'sessionOptions'], 'session'),
  CreateSessionOptions: entry(10, [], 'sessionOptions'),
  SetSessionLogSeverityLevel: entry(22, ['sessionOptions', 'int']),
  SetSessionGraphOptimizationLevel: entry(23, ['sessionOptions', 'int']),
  SetIntraOpNumThreads: entry(24, ['sessionOptions', 'int']),
  SetInterOpNumThreads: entry(25, ['sessionOptions', 'int']),
  SessionGetInputCount: entry(30, ['session'], 'size'),
  SessionGetOutputCount: entry(31, ['session'], 'size'),
  SessionGetInputTypeInfo: entry(33, ['session', 'size'], 'typeInfo'),
  SessionGetOutputTypeInfo: entry(34, ['session', 'size'], 'typeInfo'),
  SessionGetInputName: entry(36, ['session', 'size', 'allocator'], 'data'),
  SessionGetOutputName: entry(37, ['session', 'size', 'allocator'], 'data'),
  CreateRunOptions: entry(39, [], 'runOptions'),
  CreateTensorWithDataAsOrtValue: entry(49, ['memoryInfo', 'data', 'size', 'dims', 'size', 'int'], 'value'),
  CastTypeInfoToTensorInfo: entry(55, ['typeInfo'], 'tensorInfo'),
  GetTensorElementType: entry(60, ['tensorInfo'], 'int'),
  GetDimensionsCount: entry(61, ['tensorInfo'], 'size'),
  GetDimensions: entry(62, ['tensorInfo', 'dims', 'size']),
  CreateMemoryInfo: entry(68, ['text', 'int', 'int', 'int'], 'memoryInfo'),
  AllocatorFree: entry(76, ['allocator', 'data']),
  GetAllocatorWithDefaultOptions: entry(78, [], 'allocator'),
  SessionGetModelMetadata: entry(111, ['session'], 'metadata'),
  ModelMetadataLookupCustomMetadataMap: entry(116, ['metadata', 'allocator', 'text'], 'data'),
  AddSessionConfigEntry: entry(130, ['sessionOptions', 'text', 'text']),
  RunWithBinding: entry(133, ['session', 'runOptions', 'binding']),
  CreateIoBinding: entry(134, ['session'], 'binding'),
  BindInput: entry(136, ['binding', 'text', 'value']),
  BindOutput: entry(137, ['binding', 'text', 'value']),
  AddInitializer: entry(150, ['sessionOptions', 'text', 'value']),
  AddRunConfigEntry: entry(165, ['runOptions', 'text', 'text']),
  SessionOptionsAppendExecutionProvider_CUDA_V2: entry(204, ['sessionOptions', 'cudaOptions']),
  CreateCUDAProviderOptions: entry(205, [], 'cudaOptions'),
  UpdateCUDAProviderOptions: entry(206, ['cudaOptions', 'texts', 'texts', 'size']),
};

/** Functions that return nothing, with their positions in `struct OrtApi`. */
const RELEASES = {
  ReleaseMemoryInfo: entry(94, ['memoryInfo']),
  ReleaseSession: entry(95, ['session']),
  ReleaseValue: entry(96, ['value']),
  ReleaseRunOptions: entry(97, ['runOptions']),
  ReleaseTypeInfo: entry(98, ['typeInfo']),
  ReleaseSessionOptions: entry(100, ['sessionOptions']),
  ReleaseModelMetadata: entry(118, ['metadata']),
  ReleaseIoBinding: entry(135, ['binding']),
  ReleaseCUDAProviderOptions: entry(208, ['cudaOptions']),
};

const GET_ERROR_MESSAGE = 2;
const RELEASE_STATUS = 93;

type Callable<Of> =
  Of extends Entry<infer Arguments, infer Result>
    ? (
        ...args: { [I in keyof Arguments]: Values[Arguments[I] & Kind] }
      ) => Result extends Kind ? Values[Result] : undefined
    : never;

type Functions = typeof CALLS & typeof RELEASES;

/** Functions of ONNX Runtime. A failed call throws a NativeError or a CudaError with the message of ONNX Runtime. */
export type OrtApi = { readonly [Name in keyof Functions]: Callable<Functions[Name]> };

/** Returns typed functions for the function table of a library. */
export function bindApi({ koffi, table }: OrtLibrary): OrtApi {
  const pick = (index: number, result: string, args: (string | ReturnType<Koffi['out']>)[]) =>
    functionAt(koffi, table, index, koffi.proto(result, args));
  const errorMessage = pick(GET_ERROR_MESSAGE, 'str', ['void *']);
  const releaseStatus = pick(RELEASE_STATUS, 'void', ['void *']);
  const check = (name: string, status: unknown): void => {
    if (status === null) return;
    const message = errorMessage(status) as string;
    releaseStatus(status);
    throw errorOf(name, message);
  };
  const typeOf = (kind: Kind): string => C_TYPES[kind] ?? 'void *';
  const functions: Record<string, NativeFunction> = {};
  for (const [name, { index, args, result }] of Object.entries<Entry<readonly Kind[], Kind | undefined>>(CALLS)) {
    const types = args.map(typeOf);
    if (result === undefined) {
      const call = pick(index, 'void *', types);
      functions[name] = (...values) => check(name, call(...values));
    } else {
      const call = pick(index, 'void *', [...types, koffi.out(koffi.pointer(typeOf(result)))]);
      functions[name] = (...values) => {
        const out = [null];
        check(name, call(...values, out));
        return out[0];
      };
    }
  }
  for (const [name, { index, args }] of Object.entries<Entry<readonly Kind[], undefined>>(RELEASES)) {
    functions[name] = pick(index, 'void', args.map(typeOf));
  }
  return functions as unknown as OrtApi;
}
