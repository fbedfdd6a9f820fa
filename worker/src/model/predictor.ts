import type { Port, Ports } from './ports.ts';
import { fixed } from './ports.ts';
import { ModelError } from './error.ts';

/**
 * Where a predictor graph takes its tokens and its recurrent states. Exports name states as they like, so they are
 * told apart by type and rank.
 */
export interface PredictorPorts {
  readonly targets: string;
  readonly targetLength: string;
  readonly statesIn: readonly string[];
  readonly statesOut: readonly string[];
  /** Layers and width of each state, [layers, B, width]. */
  readonly layers: number;
  readonly hidden: number;
  /** Streams that share one run; 1 where the graph fixes it. */
  readonly batch: number;
}

/** Finds the ports of a predictor, alone or fused with its joint. */
export function readPredictor(ports: Ports): PredictorPorts {
  const only = (rank: number): string => {
    const [found, ...more] = ports.inputs.filter(({ type, shape }) => type === 'int32' && shape.length === rank);
    if (found === undefined || more.length > 0) {
      throw new ModelError('graph_unsupported', `${ports.file}: expected one int32 input of rank ${rank}`);
    }
    return found.name;
  };
  // The encoder's frames and the predictor's own output have rank 3 too, but other names.
  const states = (list: readonly Port[]) =>
    list.filter(
      ({ name, type, shape }) => type === 'float32' && shape.length === 3 && !/^(encoder_)?outputs$/.test(name),
    );
  const [statesIn, statesOut] = [states(ports.inputs), states(ports.outputs)];
  const first = statesIn[0];
  if (first === undefined || statesIn.length !== statesOut.length) {
    throw new ModelError(
      'graph_unsupported',
      `${ports.file}: ${statesIn.length} state inputs and ${statesOut.length} state outputs; expected as many of each, at least one`,
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
