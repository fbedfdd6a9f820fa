import { dirname, join } from 'node:path';
import { ModelError } from '../../model/error.ts';
import { readChecked } from '../../model/files.ts';
import { contextKey } from '../../model/manifest.ts';
import type { Context, FileRef, Manifest } from '../../model/manifest.ts';
import { readOnnx } from '../../model/onnx.ts';
import type { Vocabulary } from '../../model/tokens.ts';
import type { GraphShape, StateShape } from '../../native/contract.ts';
import { openGraph } from '../../native/graph.ts';
import type { OpenGraph } from '../../native/graph.ts';
import { openJoint } from '../../native/joint.ts';
import type { OpenJoint } from '../../native/joint.ts';
import type { DeviceMemory } from '../../native/memory.ts';
import type { ReleaseList } from '../../native/release-list.ts';
import type { NativeRuntime } from '../../native/runtime.ts';
import type { SessionOptions } from '../../native/session.ts';
import { SharedWeights } from '../../native/weights.ts';

/** File with the weights of the GPU graphs, in the folder of the graphs. */
const WEIGHTS_FILE = 'weights.bin';

/** The GPU graph of a context. */
export interface OpenContext {
  readonly context: Context;
  readonly graph: OpenGraph;
}

/** The GPU graphs of a model. */
export interface OpenModel {
  readonly contexts: readonly OpenContext[];
  /** Undefined for CTC. */
  readonly joint: OpenJoint | undefined;
}

/**
 * Opens the graphs of all contexts, and for a transducer also the search graph. Adds all of them to `releases`. On a
 * GPU, the graphs share their weights. Throws a ModelError if a graph is missing or does not match the manifest.
 */
export async function openModel(
  runtime: NativeRuntime,
  memory: DeviceMemory,
  folder: string,
  manifest: Manifest,
  vocabulary: Vocabulary,
  threads: number,
  releases: ReleaseList,
): Promise<OpenModel> {
  const weights = new Map<string, SharedWeights>();
  const onGpu = memory.provider === 'cuda';
  const readOptions = async (ref: FileRef): Promise<SessionOptions> => {
    const facts = readOnnx(ref.file, await readChecked(folder, ref));
    if (!onGpu) return { threads, cudaGraphs: false, initializers: new Map() };
    const path = join(folder, dirname(ref.file), WEIGHTS_FILE);
    const shared = weights.get(path) ?? releases.add(new SharedWeights(runtime, memory, path));
    weights.set(path, shared);
    return { threads, cudaGraphs: true, initializers: shared.initializers(ref.file, facts) };
  };
  const contexts: OpenContext[] = [];
  for (const { context, gpu } of manifest.contexts) {
    if (gpu === undefined) {
      throw new ModelError('graph_unsupported', `manifest.json: the context [${contextKey(context)}] has no GPU graph`);
    }
    const { file } = gpu;
    const graph = openGraph(runtime, memory, join(folder, file), file, await readOptions(gpu));
    releases.add(graph.session);
    checkGraph(file, graph, context, manifest, vocabulary);
    checkState(file, graph, contexts[0]?.graph ?? graph);
    contexts.push({ context, graph });
  }
  if (manifest.type === 'ctc') return { contexts, joint: undefined };
  const { gpuJoint } = manifest;
  if (gpuJoint === undefined) {
    throw new ModelError('graph_unsupported', 'manifest.json: the transducer has no gpuJoint for its GPU graphs');
  }
  const { file } = gpuJoint;
  const joint = openJoint(runtime, memory, join(folder, file), file, await readOptions(gpuJoint));
  releases.add(joint.session);
  for (const { graph } of contexts) checkJoint(file, joint, graph, vocabulary);
  return { contexts, joint };
}

function checkGraph(
  file: string,
  { shape }: OpenGraph,
  context: Context,
  { type, promptIndex }: Manifest,
  { pieces }: Vocabulary,
): void {
  checkPrompt(file, shape, promptIndex);
  if (shape.type !== type) fail(file, `the graph is for the type ${shape.type}, but the manifest lists ${type}`);
  if (shape.context.join() !== context.join()) {
    const listed = `but the manifest lists it for [${context.join()}]`;
    fail(file, `the graph is for the context [${shape.context.join()}], ${listed}`);
  }
  if (shape.classes !== pieces.length) {
    fail(file, `the graph has ${shape.classes} classes, but tokens.txt has ${pieces.length} pieces`);
  }
}

/**
 * Throws if the graph takes a prompt and `promptIndex` is missing or too large. CUDA reports no error for such an index
 * and would use a wrong prompt.
 */
function checkPrompt(file: string, { takesPrompt, prompts }: GraphShape, promptIndex: number | undefined): void {
  if (!takesPrompt) return;
  if (promptIndex === undefined) fail(file, 'the graph has an input prompt, but the manifest has no promptIndex');
  if (promptIndex >= prompts)
    fail(file, `the graph has ${prompts} prompts, but the manifest has promptIndex ${promptIndex}`);
}

/**
 * Throws if two graphs have state of different sizes. All graphs read and write the same arenas, so the sizes must be
 * equal.
 */
function checkState(file: string, { shape: { state } }: OpenGraph, { shape: { state: first } }: OpenGraph): void {
  const describe = ({ layers, width, tail, row, precision }: StateShape) =>
    `${layers} layers of ${width} values in rows of ${row} and tails of ${tail} frames in ${precision}`;
  if (describe(state) === describe(first)) return;
  const next = 'build all GPU graphs of the model in one run of training/optimize/gpu.py';
  fail(file, `the state has ${describe(state)}, but that of the first context has ${describe(first)}: ${next}`);
}

/** Throws a ModelError if the graphs do not return `alternatives` classes for each frame or step. */
export function checkAlternatives({ contexts, joint }: OpenModel, manifest: Manifest, alternatives: number): void {
  const counts = joint ? [joint.shape.alternatives] : contexts.map(({ graph }) => graph.shape.alternatives);
  const count = Math.min(...counts);
  if (count >= alternatives) return;
  const next = 'build the GPU graphs again with training/optimize/gpu.py';
  const what = `the GPU graphs return ${Math.max(1, count)} of the ${alternatives} requested classes for each frame`;
  throw new ModelError('graph_unsupported', `${manifest.id}: ${what}: ${next}`);
}

function checkJoint(file: string, { shape }: OpenJoint, { shape: encoder }: OpenGraph, { pieces }: Vocabulary): void {
  if (shape.classes !== pieces.length) {
    fail(file, `the graph has ${shape.classes} classes, but tokens.txt has ${pieces.length} pieces`);
  }
  if (shape.encodedWidth !== encoder.encodedWidth || shape.precision !== encoder.state.precision) {
    const expected = `${encoder.encodedWidth} values in ${encoder.state.precision}`;
    fail(file, `frames have ${shape.encodedWidth} values in ${shape.precision}, but the encoder has ${expected}`);
  }
}

function fail(file: string, what: string): never {
  throw new ModelError('graph_mismatch', `${file}: ${what}`);
}
