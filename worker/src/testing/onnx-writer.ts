// Writes small ONNX files, so that tests can run graphs that are not part of a model. The field numbers are from
// onnx.proto.

/** Element types with their number in ONNX. */
const TYPES = { float32: 1, int16: 5, int32: 6, int64: 7, float16: 10 } as const;
export type OnnxType = keyof typeof TYPES;

/** An input or output. A dimension without a fixed size is a string. */
export interface OnnxPort {
  readonly name: string;
  readonly type: OnnxType;
  readonly shape: readonly (number | string)[];
}

/** A stored tensor. `data` contains its values, or the position of the values in another file of the folder. */
export interface OnnxTensor {
  readonly name: string;
  readonly type: 'float32' | 'int64';
  readonly shape: readonly number[];
  readonly data: readonly number[] | { readonly file: string; readonly offset: number; readonly length: number };
}

/** A node. Its attributes are integers or lists of integers. */
export interface OnnxNode {
  readonly op: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes?: Readonly<Record<string, number | readonly number[]>>;
}

export interface OnnxGraph {
  readonly inputs: readonly OnnxPort[];
  readonly outputs: readonly OnnxPort[];
  readonly tensors: readonly OnnxTensor[];
  readonly nodes: readonly OnnxNode[];
  readonly metadata?: Readonly<Record<string, string>>;
}

/** Returns the number of an element type in ONNX, for the attribute `to` of Cast. */
export const onnxType = (type: OnnxType): number => TYPES[type];

/** Returns the bytes of an ONNX file that uses version 17 of the operators. */
export function writeOnnx({ inputs, outputs, tensors, nodes, metadata = {} }: OnnxGraph): Buffer {
  const graph = Buffer.concat([
    ...nodes.map((node) => bytes(1, nodeOf(node))),
    text(2, 'test'),
    ...tensors.map((tensor) => bytes(5, tensorOf(tensor))),
    ...inputs.map((port) => bytes(11, portOf(port))),
    ...outputs.map((port) => bytes(12, portOf(port))),
  ]);
  const operators = Buffer.concat([text(1, ''), integer(2, 17)]);
  const entries = Object.entries(metadata).map(([key, value]) => bytes(14, entryOf(key, value)));
  return Buffer.concat([integer(1, 8), bytes(7, graph), bytes(8, operators), ...entries]);
}

function nodeOf({ op, inputs, outputs, attributes = {} }: OnnxNode): Buffer {
  return Buffer.concat([
    ...inputs.map((name) => text(1, name)),
    ...outputs.map((name) => text(2, name)),
    text(4, op),
    ...Object.entries(attributes).map(([name, value]) => bytes(5, attributeOf(name, value))),
  ]);
}

function attributeOf(name: string, value: number | readonly number[]): Buffer {
  const content =
    typeof value === 'number'
      ? [integer(3, value), integer(20, 2)]
      : [...value.map((item) => integer(8, item)), integer(20, 7)];
  return Buffer.concat([text(1, name), ...content]);
}

function tensorOf({ name, type, shape, data }: OnnxTensor): Buffer {
  const head = [...shape.map((dim) => integer(1, dim)), integer(2, TYPES[type]), text(8, name)];
  if ('file' in data) {
    const { file, offset, length } = data;
    const entries = { location: file, offset: String(offset), length: String(length) };
    const external = Object.entries(entries).map(([key, value]) => bytes(13, entryOf(key, value)));
    return Buffer.concat([...head, ...external, integer(14, 1)]);
  }
  const raw = type === 'float32' ? Float32Array.from(data) : BigInt64Array.from(data, BigInt);
  return Buffer.concat([...head, bytes(9, Buffer.from(raw.buffer))]);
}

function portOf({ name, type, shape }: OnnxPort): Buffer {
  const dims = shape.map((dim) => bytes(1, typeof dim === 'number' ? integer(1, dim) : text(2, dim)));
  const tensor = Buffer.concat([integer(1, TYPES[type]), bytes(2, Buffer.concat(dims))]);
  return Buffer.concat([text(1, name), bytes(2, bytes(1, tensor))]);
}

const entryOf = (key: string, value: string): Buffer => Buffer.concat([text(1, key), text(2, value)]);

const text = (field: number, value: string): Buffer => bytes(field, Buffer.from(value));

const bytes = (field: number, content: Buffer): Buffer =>
  Buffer.concat([varint(BigInt(field * 8 + 2)), varint(BigInt(content.length)), content]);

const integer = (field: number, value: number): Buffer =>
  Buffer.concat([varint(BigInt(field * 8)), varint(BigInt.asUintN(64, BigInt(value)))]);

function varint(value: bigint): Buffer {
  const out: number[] = [];
  for (let rest = value; ; rest >>= 7n) {
    if (rest < 128n) return Buffer.from([...out, Number(rest)]);
    out.push(Number(rest & 127n) | 128);
  }
}
