import { join } from 'node:path';
import type { InferenceSession } from 'onnxruntime-node';
import type { Joint } from '../decode/rnnt.ts';
import { Encoder } from './encoder.ts';
import { ModelError } from './error.ts';
import { readChecked, readManifest } from './files.ts';
import { FusedJoint, SplitJoint } from './joint.ts';
import { contextKey } from './manifest.ts';
import type { FileRef, Manifest } from './manifest.ts';
import { readOnnx } from './onnx.ts';
import type { OnnxFacts } from './onnx.ts';
import { agree, fixed, port, portsOf } from './ports.ts';
import type { Ports } from './ports.ts';
import { readPredictor } from './predictor.ts';
import type { PredictorPorts } from './predictor.ts';
import { buildScratch } from './scratch.ts';
import { createSession } from './session.ts';
import type { RuntimeOptions } from './session.ts';
import { metadataNumber, readEncoderShape } from './shape.ts';
import { parseTokens } from './tokens.ts';
import type { Vocabulary } from './tokens.ts';

/** A model that is loaded and validated, so that it can run. */
export interface Model {
  readonly manifest: Manifest;
  readonly vocabulary: Vocabulary;
  /** Encoders by context (`contextKey`). The default context comes first. */
  readonly encoders: ReadonlyMap<string, Encoder>;
  /** Predictor and joint of a transducer. Undefined for a CTC model. */
  readonly joint: Joint | undefined;
  /** Releases the memory of all graphs. Call it when no graph runs. */
  release(): Promise<void>;
}

interface Graph {
  readonly session: InferenceSession;
  readonly ports: Ports;
  readonly facts: OnnxFacts;
}

/**
 * Opens a graph, or returns the graph that was opened before. If batches are padded, each context has its own session,
 * so that a session gets only one input shape (see `paddedBatches`).
 */
type Open = (ref: FileRef, context?: string) => Promise<Graph>;

/** Loads a model folder. Throws a ModelError if its files cannot be used or contradict each other. */
export async function loadModel(folder: string, runtime: RuntimeOptions, maxBatch: number): Promise<Model> {
  const manifest = await readManifest(folder);
  for (const ref of manifest.weights) await readChecked(folder, ref);
  const vocabulary = parseTokens((await readChecked(folder, manifest.tokens)).toString('utf8'));
  const opened = new Map<string, Promise<Graph>>();
  const open: Open = (ref, context = '') => {
    const key = runtime.paddedBatches ? `${ref.file} ${context}` : ref.file;
    const graph = opened.get(key) ?? openGraph(folder, ref, runtime);
    opened.set(key, graph);
    return graph;
  };
  const release = async () => {
    const graphs = await Promise.allSettled(opened.values());
    for (const graph of graphs) if (graph.status === 'fulfilled') await graph.value.session.release();
  };
  try {
    const encoders = await loadEncoders(manifest, open, maxBatch, runtime.paddedBatches);
    const joint = await loadSearch(manifest, open, vocabulary, encoders.values().next().value?.shape.outputSize);
    return { manifest, vocabulary, encoders, joint, release };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Loads the predictor and joint of a transducer. Returns undefined for a CTC model. */
async function loadSearch(
  manifest: Manifest,
  open: Open,
  vocabulary: Vocabulary,
  outputSize: number | undefined,
): Promise<Joint | undefined> {
  if (manifest.type === 'transducer') return await loadJoint(manifest, open, vocabulary, outputSize);
  agree('tokens.txt', 'the number of pieces', { length: vocabulary.pieces.length, encoder: outputSize });
  return undefined;
}

async function openGraph(folder: string, ref: FileRef, runtime: RuntimeOptions): Promise<Graph> {
  const facts = readOnnx(ref.file, await readChecked(folder, ref));
  // The session is created from the path and not from the bytes, because onnxruntime searches for external weights in
  // the folder of the file.
  const session = await createSession(join(folder, ref.file), ref.file, runtime);
  return { session, facts, ports: portsOf(ref.file, session) };
}

async function loadEncoders(
  manifest: Manifest,
  open: Open,
  maxBatch: number,
  padded: boolean,
): Promise<Map<string, Encoder>> {
  const parts = [];
  for (const { context, encoder } of manifest.contexts) {
    const { session, ports, facts } = await open(encoder, contextKey(context));
    const shape = readEncoderShape(ports, facts, manifest.type, context);
    if (shape.takesPrompt && manifest.promptIndex === undefined) {
      throw new ModelError(
        'graph_mismatch',
        `${encoder.file}: the graph has an input prompt_index, but the manifest has no promptIndex`,
      );
    }
    parts.push({ context, file: encoder.file, session, shape });
  }
  const scratch = buildScratch(
    parts.map(({ shape }) => shape),
    maxBatch,
  );
  scratch.prompt.fill(BigInt(manifest.promptIndex ?? 0));
  const encoders = new Map<string, Encoder>();
  for (const { context, file, session, shape } of parts) {
    const encoder = new Encoder(session, shape, scratch, padded);
    await encoder.probe(file);
    encoders.set(contextKey(context), encoder);
  }
  return encoders;
}

async function loadJoint(
  { contexts, decoderJoint, decoder, joiner }: Manifest,
  open: Open,
  { pieces }: Vocabulary,
  encoderWidth: number | undefined,
): Promise<Joint> {
  const first = contexts[0];
  const about = first === undefined ? undefined : (await open(first.encoder, contextKey(first.context))).facts;
  const checkState = (file: string, { layers, hidden }: PredictorPorts): void => {
    const readNumber = (key: string) => (about === undefined ? undefined : metadataNumber(file, about, key));
    agree(file, 'the number of predictor layers', {
      graph: layers,
      "encoder's metadata": readNumber('pred_rnn_layers'),
    });
    agree(file, 'the predictor state', { graph: hidden, "encoder's metadata": readNumber('pred_hidden') });
  };
  const checkJoint = (ports: Ports): void => {
    const frames = port(ports, 'inputs', 'encoder_outputs', 'float32', 3);
    agree(ports.file, 'the encoder width', { graph: fixed(frames, 1), encoder: encoderWidth });
    const out = port(ports, 'outputs', 'outputs', 'float32', 4);
    agree(ports.file, 'the number of pieces', { graph: fixed(out, 3), 'tokens.txt': pieces.length });
  };
  if (decoderJoint !== undefined) {
    const { session, ports } = await open(decoderJoint);
    checkJoint(ports);
    const state = readPredictor(ports);
    checkState(decoderJoint.file, state);
    return new FusedJoint(session, state);
  }
  if (decoder === undefined || joiner === undefined)
    throw new ModelError(
      'manifest_invalid',
      'manifest.json: a transducer needs either decoderJoint, or decoder and joiner',
    );
  const [predictor, join_] = [await open(decoder), await open(joiner)];
  checkJoint(join_.ports);
  const state = readPredictor(predictor.ports);
  checkState(decoder.file, state);
  const prediction = port(join_.ports, 'inputs', 'decoder_outputs', 'float32', 3);
  const output = port(predictor.ports, 'outputs', 'outputs', 'float32', 3);
  agree(joiner.file, 'the predictor width', { graph: fixed(prediction, 1), decoder: fixed(output, 1) });
  return new SplitJoint(predictor.session, join_.session, state);
}
