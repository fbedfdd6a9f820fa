import { buildFraming } from '../features/framing.ts';
import type { Framing } from '../features/framing.ts';
import { ModelError } from './error.ts';
import { contextKey } from './manifest.ts';
import type { Context } from './manifest.ts';
import type { OnnxFacts } from './onnx.ts';
import { agree, fixed, port } from './ports.ts';
import type { Ports } from './ports.ts';

/** Sizes of a streaming encoder. */
export interface EncoderShape {
  readonly mels: number;
  readonly layers: number;
  readonly left: number;
  readonly width: number;
  readonly convContext: number;
  /**
   * Number of values in an output row. For a CTC model, it is the number of classes. For a transducer, it is the width
   * of the encoder.
   */
  readonly outputSize: number;
  readonly output: 'logprobs' | 'outputs';
  readonly subsampling: number;
  readonly framing: Framing;
  /** Number of encoder frames in a full window. */
  readonly frames: number;
  readonly takesPrompt: boolean;
}

/**
 * Reads the sizes from a graph and its metadata. Throws a ModelError if two sizes contradict each other, or if a size
 * contradicts the manifest.
 */
export function readEncoderShape(
  ports: Ports,
  facts: OnnxFacts,
  type: 'ctc' | 'transducer',
  context: Context,
): EncoderShape {
  const { file } = ports;
  const number = (key: string) => metadataNumber(file, facts, key);
  const audio = port(ports, 'inputs', 'audio_signal', 'float32', 3);
  port(ports, 'inputs', 'length', 'int64', 1);
  const channel = port(ports, 'inputs', 'cache_last_channel', 'float32', 4);
  const time = port(ports, 'inputs', 'cache_last_time', 'float32', 4);
  port(ports, 'inputs', 'cache_last_channel_len', 'int64', 1);
  const output = type === 'ctc' ? 'logprobs' : 'outputs';
  const out = port(ports, 'outputs', output, 'float32', 3);
  port(ports, 'outputs', 'encoded_lengths', 'int64', 1);
  port(ports, 'outputs', 'cache_last_channel_next', 'float32', 4);
  port(ports, 'outputs', 'cache_last_time_next', 'float32', 4);
  port(ports, 'outputs', 'cache_last_channel_next_len', 'int64', 1);

  const normalize = facts.metadata.get('normalize_type') ?? '';
  if (normalize !== '' && normalize !== 'NA') {
    throw new ModelError(
      'graph_unsupported',
      `${file}: features with normalization "${normalize}" cannot be streamed; export the model without normalization`,
    );
  }
  const width = agree(file, 'the width', {
    graph: fixed(channel, 3),
    metadata: number('cache_last_channel_dim3'),
    'time cache': fixed(time, 2),
  });
  const subsampling = number('subsampling_factor') ?? 8;
  const framing = buildFraming(context[1], subsampling);
  checkContext(file, facts, context, framing);
  return {
    mels: agree(file, 'the number of mels', { graph: fixed(audio, 1), metadata: number('feat_dim') }),
    layers: agree(file, 'the number of layers', {
      graph: fixed(channel, 1),
      metadata: number('cache_last_channel_dim1'),
    }),
    left: agree(file, 'the left context', {
      graph: fixed(channel, 2),
      metadata: number('cache_last_channel_dim2'),
      'manifest entry': context[0],
    }),
    width,
    convContext: agree(file, 'the convolution context', {
      graph: fixed(time, 3),
      metadata: number('cache_last_time_dim3'),
      'depthwise kernels': depthwiseContext(facts, width),
    }),
    outputSize: agree(file, 'the output size', {
      graph: fixed(out, type === 'ctc' ? 2 : 1),
      metadata: type === 'ctc' ? classes(number('vocab_size')) : undefined,
    }),
    output,
    subsampling,
    framing,
    frames: context[1] + 1,
    takesPrompt: ports.inputs.some(({ name }) => name === 'prompt_index'),
  };
}

const classes = (vocabulary: number | undefined): number | undefined =>
  vocabulary === undefined ? undefined : vocabulary + 1;

/**
 * Throws if a graph does not support a context. A graph for several contexts lists them in its metadata. A graph
 * without such a list supports only the context that matches its window.
 */
function checkContext(file: string, facts: OnnxFacts, context: Context, framing: Framing): void {
  const listed = facts.metadata.get('contexts');
  if (listed !== undefined) {
    const contexts = listed.match(/\d+\s*,\s*\d+/g)?.map((pair) => pair.replaceAll(/\s/g, '')) ?? [];
    if (!contexts.includes(contextKey(context))) {
      throw new ModelError(
        'graph_mismatch',
        `${file}: supports the contexts ${listed}, but not [${contextKey(context)}]`,
      );
    }
    return;
  }
  const specified = {
    window: metadataNumber(file, facts, 'window_size'),
    shift: metadataNumber(file, facts, 'chunk_shift'),
  };
  agree(file, 'the window', { metadata: specified.window, 'manifest entry': framing.window });
  agree(file, 'the shift', { metadata: specified.shift, 'manifest entry': framing.shift });
}

/**
 * Returns the number of frames in the cache of a depthwise convolution over time. The weights of the convolution have
 * the shape [width, 1, kernel], and the cache has kernel - 1 frames.
 */
function depthwiseContext(facts: OnnxFacts, width: number): number | undefined {
  for (const dims of facts.tensors.values()) {
    if (dims.length === 3 && dims[0] === width && dims[1] === 1 && dims[2] !== undefined) return dims[2] - 1;
  }
  return undefined;
}

/** Returns an integer from the metadata of a graph, or undefined if the key is missing. */
export function metadataNumber(file: string, facts: OnnxFacts, key: string): number | undefined {
  const text = facts.metadata.get(key);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isInteger(value) || text.trim() === '') {
    throw new ModelError('graph_mismatch', `${file}: metadata ${key} is "${text}", not an integer`);
  }
  return value;
}
