import { onnxType } from './onnx-writer.ts';
import type { OnnxGraph, OnnxNode, OnnxPort, OnnxTensor } from './onnx-writer.ts';

/** Sizes of the test graph. The past has 2 pages of 2 frames. A frame has 4 values, in 2 rows. A tail has 2 frames. */
export const TEST_SIZES = { left: 4, right: 1, width: 4, row: 2, tail: 2, samples: 4241 } as const;

const METADATA = {
  gpu_format: '1',
  type: 'ctc',
  left: '4',
  right: '1',
  mels: '80',
  layers: '1',
  width: '4',
  heads: '1',
  tail: '2',
  classes: '10',
  row: '2',
  subsampling: '8',
  precision: 'f32',
  blank: '9',
};

const port = (type: OnnxPort['type'], name: string, ...shape: (number | string)[]): OnnxPort => ({ name, type, shape });

/**
 * Returns a graph with the inputs and outputs of a GPU graph, but with simple arithmetic in place of an encoder. The
 * new keys of a row are the first 8 samples of the row. The new values and the new tail are the same samples with the
 * opposite sign. The outputs are:
 *
 * - ids of the two frames: the sum of the past and new keys, and that sum plus 1
 * - scores of the two frames: the sum of the past and new values plus `filled`, and the sum of the old tail plus the
 *   sum of the bounds
 * - encoded (only for a transducer): the new keys
 */
export function buildTestGraph(type: 'ctc' | 'transducer' = 'ctc'): OnnxGraph {
  const arena = (suffix: string) => [
    port('float32', `keys_0${suffix}`, 'FR', 2),
    port('float32', `values_0${suffix}`, 'FR', 2),
    port('float32', `tails_0${suffix}`, 'TR', 2),
  ];
  return {
    inputs: [
      port('int16', 'pcm', 'B', TEST_SIZES.samples),
      port('int32', 'bounds', 'B', 4),
      port('int32', 'past', 'B', 2),
      ...['page', 'tail_from', 'tail_to', 'filled'].map((name) => port('int32', name, 'B')),
      ...arena(''),
    ],
    outputs: [
      ...(type === 'ctc'
        ? [port('int32', 'ids', 'B', 2), port('float32', 'scores', 'B', 2)]
        : [port('float32', 'encoded', 'B', 2, 4)]),
      ...arena('_next'),
    ],
    tensors: TENSORS,
    nodes: [
      ...newFrames(),
      ...rowsOf('past', 'past_rows', 'two_dims'),
      ...rowsOf('page', 'page_rows', 'one_dim'),
      ...slotRows('tail_from'),
      ...slotRows('tail_to'),
      ...update('keys_0', 'past_rows', 'page_rows', 'new'),
      ...update('values_0', 'past_rows', 'page_rows', 'negative'),
      ...update('tails_0', 'tail_from_rows', 'tail_to_rows', 'negative'),
      ...(type === 'ctc' ? results() : [node('Identity', ['new'], 'encoded')]),
    ],
    metadata: { ...METADATA, type },
  };
}

/**
 * Returns the test graph with an additional input `prompt`. The best classes of the two frames of a window are the
 * number of the prompt and the class after it.
 */
export function buildPromptGraph(prompts: number): OnnxGraph {
  const { inputs, nodes, metadata, ...graph } = buildTestGraph();
  const [column, ids] = [node('Unsqueeze', ['prompt', 'one'], 'key_column'), 'key_column'];
  return {
    ...graph,
    inputs: [...inputs, port('int64', 'prompt', 'B')],
    nodes: nodes.map((one) => (one.outputs.includes(ids) ? column : one)),
    metadata: { ...metadata, prompts: String(prompts) },
  };
}

const constant = (name: string, shape: number[], data: number[]): OnnxTensor => ({ name, type: 'int64', shape, data });

const TENSORS: OnnxTensor[] = [
  constant('zero', [1], [0]),
  constant('one', [1], [1]),
  constant('eight', [1], [8]),
  constant('last', [1], [-2]),
  constant('end', [1], [1000]),
  constant('both_axes', [2], [1, 2]),
  constant('offsets', [2], [0, 1]),
  constant('two', [1], [2]),
  constant('frames_shape', [3], [0, -1, 4]),
  constant('rows_shape', [3], [0, -1, 2]),
  constant('index_shape', [3], [0, -1, 1]),
  constant('two_dims', [3], [0, 2, 1]),
  constant('one_dim', [3], [-1, 1, 1]),
];

const node = (op: string, inputs: string[], output: string, attributes: OnnxNode['attributes'] = {}): OnnxNode => ({
  op,
  inputs,
  outputs: [output],
  attributes,
});

const cast = (from: string, to: string, type: 'float32' | 'int32' | 'int64'): OnnxNode =>
  node('Cast', [from], to, { to: onnxType(type) });

function newFrames(): OnnxNode[] {
  return [
    node('Slice', ['pcm', 'zero', 'eight', 'one'], 'samples'),
    cast('samples', 'floats', 'float32'),
    node('Reshape', ['floats', 'frames_shape'], 'new'),
    node('Neg', ['new'], 'negative'),
  ];
}

/** Builds nodes that compute the row indices of a page's two frames from its first frame. Their shape is [B, rows, 1]. */
function rowsOf(starts: string, rows: string, shape: string): OnnxNode[] {
  return [
    cast(starts, `${starts}_long`, 'int64'),
    node('Reshape', [`${starts}_long`, shape], `${starts}_column`),
    node('Add', [`${starts}_column`, 'offsets'], `${starts}_frames`),
    ...framesToRows(`${starts}_frames`, rows),
  ];
}

/** Builds nodes that compute the row indices of the two frames of a tail slot. Their shape is [B, rows, 1]. */
function slotRows(slots: string): OnnxNode[] {
  return [
    cast(slots, `${slots}_long`, 'int64'),
    node('Reshape', [`${slots}_long`, 'one_dim'], `${slots}_column`),
    node('Mul', [`${slots}_column`, 'two'], `${slots}_start`),
    node('Add', [`${slots}_start`, 'offsets'], `${slots}_frames`),
    ...framesToRows(`${slots}_frames`, `${slots}_rows`),
  ];
}

function framesToRows(frames: string, rows: string): OnnxNode[] {
  return [
    node('Reshape', [frames, 'index_shape'], `${frames}_flat`),
    node('Mul', [`${frames}_flat`, 'two'], `${frames}_doubled`),
    node('Add', [`${frames}_doubled`, 'offsets'], `${frames}_pairs`),
    node('Reshape', [`${frames}_pairs`, 'index_shape'], rows),
  ];
}

/** Builds nodes that read the past from an arena, append the new frames, and write the last frames to the arena. */
function update(arena: string, from: string, to: string, fresh: string): OnnxNode[] {
  return [
    node('GatherND', [arena, from], `${arena}_past_rows`),
    node('Reshape', [`${arena}_past_rows`, 'frames_shape'], `${arena}_past`),
    node('Concat', [`${arena}_past`, fresh], `${arena}_both`, { axis: 1 }),
    node('Slice', [`${arena}_both`, 'last', 'end', 'one'], `${arena}_fresh`),
    node('Reshape', [`${arena}_fresh`, 'rows_shape'], `${arena}_fresh_rows`),
    node('ScatterND', [arena, to, `${arena}_fresh_rows`], `${arena}_next`),
  ];
}

function results(): OnnxNode[] {
  return [
    node('ReduceSum', ['keys_0_both', 'both_axes'], 'key_sum', { keepdims: 0 }),
    cast('key_sum', 'key_long', 'int64'),
    node('Unsqueeze', ['key_long', 'one'], 'key_column'),
    node('Add', ['key_column', 'offsets'], 'ids_long'),
    cast('ids_long', 'ids', 'int32'),
    node('ReduceSum', ['values_0_both', 'both_axes'], 'value_sum', { keepdims: 0 }),
    cast('filled', 'filled_float', 'float32'),
    node('Add', ['value_sum', 'filled_float'], 'first_score'),
    node('ReduceSum', ['tails_0_past', 'both_axes'], 'tail_sum', { keepdims: 0 }),
    cast('bounds', 'bounds_float', 'float32'),
    node('ReduceSum', ['bounds_float', 'one'], 'bounds_sum', { keepdims: 0 }),
    node('Add', ['tail_sum', 'bounds_sum'], 'second_score'),
    node('Unsqueeze', ['first_score', 'one'], 'first_column'),
    node('Unsqueeze', ['second_score', 'one'], 'second_column'),
    node('Concat', ['first_column', 'second_column'], 'scores', { axis: 1 }),
  ];
}

/**
 * Returns a graph with the inputs and outputs of a joint graph, but with simple arithmetic and one step per run. The
 * step produces the piece with the number after `token` and moves to the next frame. It adds 1 to the 4 values of the
 * hidden state and 2 to the 4 values of the cell. The score is the sum of all encoded frames and of the hidden state
 * before the step.
 */
export function buildTestJoint(): OnnxGraph {
  const ints = ['frames', 'token', 'at', 'symbols', 'state_from', 'state_to'];
  const states = (suffix: string) => ['hidden_0', 'cell_0'].map((name) => port('float32', name + suffix, 'SR', 2));
  return {
    inputs: [port('float32', 'encoded', 'B', 'C', 4), ...ints.map((name) => port('int32', name, 'B')), ...states('')],
    outputs: [
      ...['tokens', 'places'].map((name) => port('int32', name, 'B', 1)),
      port('float32', 'scores', 'B', 1),
      ...['token_next', 'at_next', 'symbols_next'].map((name) => port('int32', name, 'B')),
      ...states('_next'),
    ],
    tensors: [
      ...TENSORS,
      constant('state_shape', [2], [-1, 4]),
      { name: 'add_one', type: 'float32', shape: [1], data: [1] },
      { name: 'add_two', type: 'float32', shape: [1], data: [2] },
    ],
    nodes: [
      ...increment('token'),
      ...increment('at'),
      node('Identity', ['symbols'], 'symbols_next'),
      node('Unsqueeze', ['token_next', 'one'], 'tokens'),
      node('Unsqueeze', ['at', 'one'], 'places'),
      cast('state_to', 'state_to_long', 'int64'),
      node('Reshape', ['state_to_long', 'one_dim'], 'state_to_column'),
      ...framesToRows('state_to_column', 'state_rows'),
      ...updateState('hidden_0', 'add_one'),
      ...updateState('cell_0', 'add_two'),
      node('ReduceSum', ['hidden_0_read', 'one'], 'state_sum'),
      node('ReduceSum', ['encoded', 'both_axes'], 'encoded_sum', { keepdims: 0 }),
      node('Unsqueeze', ['encoded_sum', 'one'], 'encoded_column'),
      node('Add', ['state_sum', 'encoded_column'], 'scores'),
    ],
    metadata: JOINT_METADATA,
  };
}

const JOINT_METADATA = {
  gpu_format: '1',
  type: 'joint',
  steps: '1',
  classes: '10',
  blank: '9',
  encoded: '4',
  hidden: '4',
  predictor_layers: '1',
  jrow: '2',
  max_symbols: '10',
  precision: 'f32',
};

function increment(name: string): OnnxNode[] {
  return [
    cast(name, `${name}_as_long`, 'int64'),
    node('Add', [`${name}_as_long`, 'one'], `${name}_more`),
    cast(`${name}_more`, `${name}_next`, 'int32'),
  ];
}

function updateState(name: string, amount: string): OnnxNode[] {
  return [
    node('Reshape', [name, 'state_shape'], `${name}_wide`),
    node('Gather', [`${name}_wide`, 'state_from'], `${name}_read`),
    node('Add', [`${name}_read`, amount], `${name}_new`),
    node('Reshape', [`${name}_new`, 'rows_shape'], `${name}_new_rows`),
    node('ScatterND', [name, 'state_rows', `${name}_new_rows`], `${name}_next`),
  ];
}
