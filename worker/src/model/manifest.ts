import { ModelError } from './error.ts';

/** Attention context of a streaming encoder: number of frames of left context, and number of frames of look-ahead. */
export type Context = readonly [left: number, right: number];

/** A file of the model folder with its expected checksum. */
export interface FileRef {
  readonly file: string;
  readonly sha256: string;
}

/** Files of a model at one context. */
export interface ContextEntry {
  readonly context: Context;
  readonly encoder: FileRef;
  /** Graph that keeps the state of streams on a GPU. Undefined if the model has no GPU graph for this context. */
  readonly gpu?: FileRef;
}

/** Content of `manifest.json` of a model folder. */
export interface Manifest {
  readonly format: 1;
  readonly id: string;
  readonly language: string;
  readonly languageCode: string;
  readonly type: 'ctc' | 'transducer';
  readonly tokens: FileRef;
  /**
   * Supported contexts, each with its encoder. The default context comes first. Several contexts can use the same file.
   */
  readonly contexts: readonly ContextEntry[];
  /** Predictor and joint of a fused transducer, in one graph. */
  readonly decoderJoint?: FileRef;
  /** Predictor of a split transducer. `joiner` is the joint network of this transducer. */
  readonly decoder?: FileRef;
  readonly joiner?: FileRef;
  /** Predictor and joint of a transducer in one graph, for the GPU. It is used with the GPU graphs of all contexts. */
  readonly gpuJoint?: FileRef;
  /** Files with external weights, to which graphs refer. The worker itself only verifies their checksums. */
  readonly weights: readonly FileRef[];
  /**
   * Index of the language prompt of a multilingual model. It is the input `prompt_index` of a graph for
   * onnxruntime-node, and the input `prompt` of a GPU graph.
   */
  readonly promptIndex?: number;
}

/** Returns a context as text such as `56,13`, for map keys and messages. */
export const contextKey = (context: Context): string => context.join(',');

/** Returns whether the model has GPU graphs for all contexts. A transducer also needs a GPU graph for its search. */
export const supportsGpuGraphs = ({ type, contexts, gpuJoint }: Manifest): boolean =>
  (type === 'ctc' || gpuJoint !== undefined) && contexts.every(({ gpu }) => gpu !== undefined);

/** Parses the text of a manifest. Throws a ModelError that names the first invalid field. */
export function parseManifest(text: string): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ModelError('manifest_invalid', 'manifest.json is not JSON', { cause });
  }
  const root = object(value, 'manifest.json');
  if (root.format !== 1) fail('format must be 1');
  const type = root.type;
  if (type !== 'ctc' && type !== 'transducer') return fail('type must be "ctc" or "transducer"');
  const optional = (name: string) => (root[name] === undefined ? {} : { [name]: fileRef(root[name], name) });
  const manifest: Manifest = {
    format: 1,
    id: string(root.id, 'id'),
    language: string(root.language, 'language'),
    languageCode: string(root.languageCode, 'languageCode'),
    type,
    tokens: fileRef(root.tokens, 'tokens'),
    contexts: list(root.contexts, 'contexts').map(contextEntry),
    weights: root.weights === undefined ? [] : list(root.weights, 'weights').map((w, i) => fileRef(w, `weights[${i}]`)),
    ...optional('decoderJoint'),
    ...optional('decoder'),
    ...optional('joiner'),
    ...optional('gpuJoint'),
    ...(root.promptIndex === undefined ? {} : { promptIndex: count(root.promptIndex, 'promptIndex') }),
  };
  checkTogether(manifest);
  return manifest;
}

function checkTogether(manifest: Manifest): void {
  const { type, contexts, decoderJoint, decoder, joiner, gpuJoint } = manifest;
  if (contexts.length === 0) fail('contexts must name at least one context');
  const keys = contexts.map(({ context }) => contextKey(context));
  const twice = keys.find((key, i) => keys.indexOf(key) !== i);
  if (twice !== undefined) fail(`contexts names [${twice}] twice`);
  const parts = [decoderJoint !== undefined, decoder !== undefined, joiner !== undefined].join();
  if (type === 'ctc' && parts !== 'false,false,false') fail('a ctc model has no decoderJoint, decoder or joiner');
  if (type === 'transducer' && parts !== 'true,false,false' && parts !== 'false,true,true') {
    fail('a transducer needs either decoderJoint, or decoder and joiner');
  }
  if (gpuJoint === undefined) return;
  if (type === 'ctc') fail('a ctc model has no gpuJoint');
  if (!supportsGpuGraphs(manifest)) fail('a model with gpuJoint needs gpu in all contexts');
}

function contextEntry(value: unknown, index: number): ContextEntry {
  const at = `contexts[${index}]`;
  const entry = object(value, at);
  const pair = list(entry.context, `${at}.context`);
  if (pair.length !== 2) fail(`${at}.context must be [left, right]`);
  const context: Context = [count(pair[0], `${at}.context[0]`), count(pair[1], `${at}.context[1]`)];
  const encoder = fileRef(entry.encoder, `${at}.encoder`);
  return entry.gpu === undefined ? { context, encoder } : { context, encoder, gpu: fileRef(entry.gpu, `${at}.gpu`) };
}

function fileRef(value: unknown, at: string): FileRef {
  const ref = object(value, at);
  const file = string(ref.file, `${at}.file`);
  const sha256 = string(ref.sha256, `${at}.sha256`);
  // A model folder is self-contained, so a manifest may name only files in its own folder.
  if (file.startsWith('/') || file.split('/').includes('..')) fail(`${at}.file must stay inside the model folder`);
  if (!/^[0-9a-f]{64}$/.test(sha256)) fail(`${at}.sha256 must be 64 hexadecimal digits`);
  return { file, sha256 };
}

function object(value: unknown, at: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return fail(`${at} must be an object`);
  return value as Record<string, unknown>;
}

function list(value: unknown, at: string): unknown[] {
  return Array.isArray(value) ? value : fail(`${at} must be a list`);
}

function string(value: unknown, at: string): string {
  return typeof value === 'string' && value !== '' ? value : fail(`${at} must be a non-empty string`);
}

function count(value: unknown, at: string): number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0
    ? value
    : fail(`${at} must be a whole number`);
}

function fail(what: string): never {
  throw new ModelError('manifest_invalid', `manifest.json: ${what}`);
}
