import type { InferenceSession } from 'onnxruntime-node';
import { ModelError } from './error.ts';

/** A tensor that goes into or comes out of a graph; free dimensions are texts. */
export interface Port {
  readonly name: string;
  readonly type: string;
  readonly shape: readonly (number | string)[];
}

/** Inputs and outputs of a graph with the file they belong to, for messages. */
export interface Ports {
  readonly file: string;
  readonly inputs: readonly Port[];
  readonly outputs: readonly Port[];
}

/** What a session says about its graph's inputs and outputs. */
export function portsOf(file: string, session: InferenceSession): Ports {
  const tensors = (list: InferenceSession['inputMetadata']): Port[] =>
    list.flatMap((port) => (port.isTensor ? [{ name: port.name, type: port.type, shape: port.shape }] : []));
  return { file, inputs: tensors(session.inputMetadata), outputs: tensors(session.outputMetadata) };
}

/** The port of that name, which must have this type and rank. */
export function port(ports: Ports, side: 'inputs' | 'outputs', name: string, type: string, rank: number): Port {
  const found = ports[side].find((p) => p.name === name);
  const word = side === 'inputs' ? 'input' : 'output';
  if (found === undefined) {
    const names = ports[side].map((p) => p.name).join(', ');
    throw new ModelError('graph_unsupported', `${ports.file}: no ${word} "${name}" (it has: ${names})`);
  }
  if (found.type !== type || found.shape.length !== rank) {
    const is = `${found.type}[${found.shape.join(', ')}]`;
    throw new ModelError(
      'graph_unsupported',
      `${ports.file}: ${word} "${name}" is ${is}, expected ${type} of rank ${rank}`,
    );
  }
  return found;
}

/** One value that several sources may tell (undefined: silent); all that speak must agree and one must speak. */
export function agree(file: string, what: string, sources: Readonly<Record<string, number | undefined>>): number {
  const told = Object.entries(sources).filter((entry): entry is [string, number] => entry[1] !== undefined);
  const first = told[0];
  if (first === undefined) throw new ModelError('graph_unsupported', `${file}: nothing tells ${what}`);
  const other = told.find(([, value]) => value !== first[1]);
  if (other !== undefined) {
    throw new ModelError(
      'graph_mismatch',
      `${file}: ${what} is ${first[1]} by its ${first[0]} but ${other[1]} by its ${other[0]}`,
    );
  }
  return first[1];
}

/** A dimension that the graph fixes, or undefined when it is free. */
export function fixed(p: Port, axis: number): number | undefined {
  const dim = p.shape[axis];
  return typeof dim === 'number' ? dim : undefined;
}
