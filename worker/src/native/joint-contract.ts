import { ModelError } from '../model/error.ts';
import { agree, fixed, port } from '../model/ports.ts';
import type { Ports } from '../model/ports.ts';
import { alternativesOf, checkFormat, checkPorts, readNumber, readPrecision, topPorts } from './contract.ts';
import type { RowPort } from './contract.ts';

/**
 * Sizes of the GPU graph for the greedy search of a transducer. The graph contains predictor and joint network, and is
 * the same for all contexts.
 */
export interface JointShape {
  /** Number of steps that a run takes for each row. */
  readonly steps: number;
  readonly classes: number;
  readonly blank: number;
  /** Number of values of an encoded frame. */
  readonly encodedWidth: number;
  /** Number of values in a state of the predictor. */
  readonly hidden: number;
  readonly predictorLayers: number;
  /** Number of values in an arena row. A state has `hidden / row` rows. */
  readonly row: number;
  /** Maximum number of pieces that a frame can produce. */
  readonly maxSymbols: number;
  readonly precision: 'float16' | 'float32';
  /** Number of best classes of each step that a run can return. 0 if the graph returns only the best class. */
  readonly alternatives: number;
}

/** Reads the sizes of a joint graph. Throws a ModelError if the graph does not follow the contract. */
export function readJointShape(ports: Ports, metadata: (key: string) => string | undefined): JointShape {
  const { file } = ports;
  const text = (key: string): string => metadata(key) ?? '';
  const number = (key: string): number => readNumber(file, key, text(key));
  checkFormat(file, text('gpu_format'));
  if (text('type') !== 'joint') {
    throw new ModelError('graph_unsupported', `${file}: type is "${text('type')}", expected joint`);
  }
  const shape: JointShape = {
    steps: number('steps'),
    classes: number('classes'),
    blank: number('blank'),
    encodedWidth: number('encoded'),
    hidden: number('hidden'),
    predictorLayers: number('predictor_layers'),
    row: number('jrow'),
    maxSymbols: number('max_symbols'),
    precision: readPrecision(file, text('precision')),
    alternatives: alternativesOf(ports),
  };
  const encoded = port(ports, 'inputs', 'encoded', shape.precision, 3);
  agree(file, 'the width of encoded frames', { metadata: shape.encodedWidth, graph: fixed(encoded, 2) });
  const inputs = ports.inputs.filter(({ name }) => name !== 'encoded');
  checkPorts({ file, inputs, outputs: ports.outputs }, 'inputs', [...JOINT_INPUTS, ...statePorts(shape, '')]);
  checkPorts(ports, 'outputs', [...jointOutputs(shape, shape.alternatives), ...statePorts(shape, '_next')]);
  return shape;
}

const int32 = (name: string, ...dims: number[]): RowPort => ({ name, type: 'int32', dims });

/** Inputs that the host sets for each run. */
export const JOINT_INPUTS: readonly RowPort[] = [
  int32('frames'),
  int32('token'),
  int32('at'),
  int32('symbols'),
  int32('state_from'),
  int32('state_to'),
];

/** Returns the outputs of a run. `alternatives` is the number of best classes of each step. */
export function jointOutputs({ steps }: JointShape, alternatives: number): RowPort[] {
  return [
    int32('tokens', steps),
    int32('places', steps),
    { name: 'scores', type: 'float32', dims: [steps] },
    int32('token_next'),
    int32('at_next'),
    int32('symbols_next'),
    ...topPorts(steps, alternatives),
  ];
}

/** Returns the names of the arenas with the states of the predictor. */
export function predictorNames({ predictorLayers }: JointShape): string[] {
  return Array.from({ length: predictorLayers }, (_, layer) => [`hidden_${layer}`, `cell_${layer}`]).flat();
}

function statePorts(shape: JointShape, suffix: string): RowPort[] {
  return predictorNames(shape).map((name) => ({ name: name + suffix, type: 'float32', dims: [shape.row] }));
}
