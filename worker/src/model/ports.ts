import type { InferenceSession } from 'onnxruntime-node';
import { ModelError } from './error.ts';

/** An input or output tensor of a graph. A dimension without a fixed size is a string. */
export interface Port {
  readonly name: string;
  readonly type: string;
  readonly shape: readonly (number | string)[];
}

/** Inputs and outputs of a graph, with the name of its file for error messages. */
export interface Ports {
  readonly file: string;
  readonly inputs: readonly Port[];
  readonly outputs: readonly Port[];
}

/** Returns the tensor inputs and outputs of a session's graph. */
export function portsOf(file: string, session: InferenceSession): Ports {
  const tensors = (list: InferenceSession['inputMetadata']): Port[] =>
    list.flatMap((port) => (port.isTensor ? [{ name: port.name, type: port.type, shape: port.shape }] : []));
  return { file, inputs: tensors(session.inputMetadata), outputs: tensors(session.outputMetadata) };
}

/** Returns the port with this name. Throws a ModelError if the port is missing or has a different type or rank. */
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

/**
 * Returns a value that several sources can specify. Throws a ModelError if no source specifies the value, or if two
 * sources specify different values.
 */
export function agree(file: string, what: string, sources: Readonly<Record<string, number | undefined>>): number {
  const specified = Object.entries(sources).filter((entry): entry is [string, number] => entry[1] !== undefined);
  const first = specified[0];
  if (first === undefined)
    throw new ModelError('graph_unsupported', `${file}: neither graph nor metadata specifies ${what}`);
  const other = specified.find(([, value]) => value !== first[1]);
  if (other !== undefined) {
    throw new ModelError(
      'graph_mismatch',
      `${file}: ${what} is ${first[1]} by its ${first[0]} but ${other[1]} by its ${other[0]}`,
    );
  }
  return first[1];
}

/**
 * Returns the size of a dimension if the graph fixes the size. Returns undefined if the dimension can have any size.
 */
export function fixed(p: Port, axis: number): number | undefined {
  const dim = p.shape[axis];
  return typeof dim === 'number' ? dim : undefined;
}
