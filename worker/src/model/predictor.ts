import type { Port, Ports } from './ports.ts';
import { fixed } from './ports.ts';
import { ModelError } from './error.ts';

/**
 * Names of the token and state tensors of a predictor graph. Exports use different names for states, so states are
 * recognized by type and rank.
 */
export interface PredictorPorts {
  readonly targets: string;
  readonly targetLength: string;
  readonly statesIn: readonly string[];
  readonly statesOut: readonly string[];
  /** Number of layers of each state. `hidden` is its width. A state has the shape [layers, B, hidden]. */
  readonly layers: number;
  readonly hidden: number;
  /**
   * Largest number of streams in one run. It is 1 if the graph has a fixed batch size of 1, and otherwise unlimited.
   */
  readonly batch: number;
}

/** Finds the ports of a predictor graph. The predictor can be a separate graph, or be fused with the joint network. */
export function readPredictor(ports: Ports): PredictorPorts {
  const only = (rank: number): string => {
    const [found, ...more] = ports.inputs.filter(({ type, shape }) => type === 'int32' && shape.length === rank);
    if (found === undefined || more.length > 0) {
      throw new ModelError('graph_unsupported', `${ports.file}: expected one int32 input of rank ${rank}`);
    }
    return found.name;
  };
  // The tensors of the encoder frames and of the predictor output also have rank 3. They are excluded here by their
  // names.
  const states = (list: readonly Port[]) =>
    list.filter(
      ({ name, type, shape }) => type === 'float32' && shape.length === 3 && !/^(encoder_)?outputs$/.test(name),
    );
  const [statesIn, statesOut] = [states(ports.inputs), states(ports.outputs)];
  const first = statesIn[0];
  if (first === undefined || statesIn.length !== statesOut.length) {
    throw new ModelError(
      'graph_unsupported',
      `${ports.file}: ${statesIn.length} state inputs and ${statesOut.length} state outputs; expected the same number of both, at least one`,
    );
  }
  const [layers, hidden] = [fixed(first, 0), fixed(first, 2)];
  if (layers === undefined || hidden === undefined) {
    throw new ModelError('graph_unsupported', `${ports.file}: state "${first.name}" does not fix its layers and width`);
  }
  const names = (list: readonly Port[]) => list.map(({ name }) => name);
  return {
    targets: only(2),
    targetLength: only(1),
    statesIn: names(statesIn),
    statesOut: names(statesOut),
    layers,
    hidden,
    batch: statesIn.some((state) => fixed(state, 1) === 1) ? 1 : Infinity,
  };
}
