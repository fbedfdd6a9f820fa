import { buildFraming, windowSamples } from '../features/framing.ts';
import type { Framing } from '../features/framing.ts';
import { ModelError } from '../model/error.ts';
import type { Context } from '../model/manifest.ts';
import { agree, fixed, port } from '../model/ports.ts';
import type { Ports } from '../model/ports.ts';
import type { ElementType } from './tensor.ts';

/** Sizes of the state of streams on the device. They are the same for all graphs of a model. */
export interface StateShape {
  readonly layers: number;
  /** Number of values in one frame of an arena. */
  readonly width: number;
  /** Number of frames in the tail of a convolution. */
  readonly tail: number;
  /** Number of values in an arena row. A frame has `width / row` rows. */
  readonly row: number;
  readonly precision: 'float16' | 'float32';
}

/** Sizes of a GPU graph, which is built for one context. */
export interface GraphShape {
  readonly type: 'ctc' | 'transducer';
  readonly context: Context;
  readonly mels: number;
  readonly heads: number;
  readonly classes: number;
  readonly blank: number;
  readonly framing: Framing;
  /** Number of feature frames per encoder frame. */
  readonly subsampling: number;
  /** Number of encoder frames in a chunk and in a page. */
  readonly frames: number;
  /** Number of pages for the left context. */
  readonly pages: number;
  /** Number of samples in a row of the input. Each stream of a batch has one row. */
  readonly samples: number;
  readonly takesPrompt: boolean;
  /** Number of language prompts. 0 if the graph takes none. */
  readonly prompts: number;
  /**
   * Number of best classes of each frame that a run can return in `top_ids` and `top_scores`. 0 if the graph returns
   * only the best class.
   */
  readonly alternatives: number;
  /** Number of values of an encoded frame. Undefined for CTC. */
  readonly encodedWidth: number | undefined;
  readonly state: StateShape;
}

/** A tensor of a batch. `dims` is its shape without the batch dimension. */
export interface RowPort {
  readonly name: string;
  readonly type: ElementType;
  readonly dims: readonly number[];
}

/** Version of the contract for GPU graphs between the export tool (training/optimize) and the worker. */
const FORMAT = '1';

/** Reads the sizes of a GPU graph. Throws a ModelError if the graph does not follow the contract. */
export function readGraphShape(ports: Ports, metadata: (key: string) => string | undefined): GraphShape {
  const { file } = ports;
  const text = (key: string): string => metadata(key) ?? '';
  const number = (key: string): number => readNumber(file, key, text(key));
  checkFormat(file, text('gpu_format'));
  const type = text('type');
  if (type !== 'ctc' && type !== 'transducer') return fail(file, `type is "${type}", expected ctc or transducer`);
  const precision = readPrecision(file, text('precision'));
  const context: Context = [number('left'), number('right')];
  const subsampling = number('subsampling');
  if (!Number.isInteger(Math.log2(subsampling))) fail(file, `subsampling is ${subsampling}, expected a power of two`);
  const framing = buildFraming(context[1], subsampling);
  const frames = context[1] + 1;
  const takesPrompt = ports.inputs.some(({ name }) => name === 'prompt');
  const shape: GraphShape = {
    type,
    context,
    mels: number('mels'),
    heads: number('heads'),
    classes: number('classes'),
    blank: number('blank'),
    framing,
    subsampling,
    frames,
    pages: Math.ceil(context[0] / frames),
    samples: windowSamples(framing),
    takesPrompt,
    prompts: takesPrompt ? number('prompts') : 0,
    alternatives: alternativesOf(ports),
    encodedWidth: type === 'ctc' ? undefined : encodedWidth(ports),
    state: {
      layers: number('layers'),
      width: number('width'),
      tail: number('tail'),
      row: number('row'),
      precision,
    },
  };
  if (shape.state.width % shape.state.row !== 0) {
    fail(file, `row ${shape.state.row} does not divide the width ${shape.state.width}`);
  }
  checkPorts(ports, 'inputs', [...inputsOf(shape), ...arenaPorts(shape.state, '')]);
  checkPorts(ports, 'outputs', [...outputsOf(shape), ...arenaPorts(shape.state, '_next')]);
  return shape;
}

/** Throws a ModelError if a graph follows a different version of the contract than this worker. */
export function checkFormat(file: string, format: string): void {
  if (format === FORMAT) return;
  const next = 'export the model again with training/optimize';
  fail(file, `gpu_format is "${format}", but this worker runs format ${FORMAT}: ${next}`);
}

/** Returns the inputs that are different for each batch, in the order in which they are stored in memory. */
export function inputsOf({ samples, pages, takesPrompt }: GraphShape): RowPort[] {
  return [
    { name: 'pcm', type: 'int16', dims: [samples] },
    { name: 'bounds', type: 'int32', dims: [4] },
    { name: 'past', type: 'int32', dims: [pages] },
    { name: 'page', type: 'int32', dims: [] },
    { name: 'tail_from', type: 'int32', dims: [] },
    { name: 'tail_to', type: 'int32', dims: [] },
    { name: 'filled', type: 'int32', dims: [] },
    ...(takesPrompt ? [{ name: 'prompt', type: 'int64', dims: [] } as const] : []),
  ];
}

/** Returns the outputs of a batch. */
export function outputsOf({ frames, encodedWidth, state, alternatives }: GraphShape): RowPort[] {
  if (encodedWidth !== undefined) return [{ name: 'encoded', type: state.precision, dims: [frames, encodedWidth] }];
  return [
    { name: 'ids', type: 'int32', dims: [frames] },
    { name: 'scores', type: 'float32', dims: [frames] },
    ...topPorts(frames, alternatives),
  ];
}

/** Returns the outputs for the best classes of each frame or step. Empty if `alternatives` is 0. */
export function topPorts(perRow: number, alternatives: number): RowPort[] {
  if (alternatives === 0) return [];
  return [
    { name: 'top_ids', type: 'int32', dims: [perRow, alternatives] },
    { name: 'top_scores', type: 'float32', dims: [perRow, alternatives] },
  ];
}

/**
 * Returns the number of best classes per frame or step in the output `top_ids` of a graph. 0 if the graph has no such
 * output.
 */
export function alternativesOf({ outputs }: Ports): number {
  const found = outputs.find(({ name }) => name === 'top_ids');
  return (found && fixed(found, 2)) ?? 0;
}

/**
 * Returns the names of a model's arenas. The arenas of keys and values contain frames. The others contain the tails of
 * convolutions.
 */
export function arenaNames({ layers }: StateShape): { name: string; kind: 'frames' | 'tails' }[] {
  return Array.from({ length: layers }, (_, layer) => [
    { name: `keys_${layer}`, kind: 'frames' } as const,
    { name: `values_${layer}`, kind: 'frames' } as const,
    { name: `tails_${layer}`, kind: 'tails' } as const,
  ]).flat();
}

function arenaPorts(state: StateShape, suffix: string): RowPort[] {
  return arenaNames(state).map(({ name }) => ({ name: name + suffix, type: state.precision, dims: [state.row] }));
}

/**
 * Throws if one of these inputs or outputs is missing in a graph, or if the graph has additional ones. Does not check
 * the first dimension.
 */
export function checkPorts(ports: Ports, side: 'inputs' | 'outputs', expected: readonly RowPort[]): void {
  for (const { name, type, dims } of expected) {
    const found = port(ports, side, name, type, dims.length + 1);
    for (const [i, dim] of dims.entries()) {
      agree(ports.file, `dimension ${i + 1} of ${name}`, { metadata: dim, graph: fixed(found, i + 1) });
    }
  }
  const names = new Set(expected.map(({ name }) => name));
  const extra = ports[side].find(({ name }) => !names.has(name));
  if (extra !== undefined) fail(ports.file, `"${extra.name}" is not among the ${side} of a GPU graph`);
}

function encodedWidth(ports: Ports): number {
  const found = ports.outputs.find(({ name }) => name === 'encoded');
  return (found && fixed(found, 2)) ?? fail(ports.file, 'a transducer needs an output "encoded" of a fixed width');
}

/** Returns the precision of weights and state. Throws a ModelError if the text names no known precision. */
export function readPrecision(file: string, text: string): 'float16' | 'float32' {
  if (text === 'f16') return 'float16';
  return text === 'f32' ? 'float32' : fail(file, `precision is "${text}", expected f16 or f32`);
}

/** Returns a value of the metadata as a whole number. Throws a ModelError if the value is missing or invalid. */
export function readNumber(file: string, key: string, text: string): number {
  const value = Number(text);
  return text !== '' && Number.isInteger(value) && value >= 0
    ? value
    : fail(file, `metadata "${key}" is "${text}", expected a whole number`);
}

function fail(file: string, what: string): never {
  throw new ModelError('graph_unsupported', `${file}: ${what}`);
}
