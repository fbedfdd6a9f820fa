import { ModelError } from './error.ts';

/**
 * Parts of an ONNX file that onnxruntime-node does not expose: custom metadata, and the shapes and positions of stored
 * tensors. The parser skips all other fields of the protobuf without copying them.
 */
export interface OnnxFacts {
  readonly metadata: ReadonlyMap<string, string>;
  /** Shape of each stored tensor by name. */
  readonly tensors: ReadonlyMap<string, readonly number[]>;
  /** Tensors whose values are in another file, by name. */
  readonly external: ReadonlyMap<string, ExternalTensor>;
}

/** A tensor whose values are in another file of the same folder. */
export interface ExternalTensor {
  /** Element type, by its number in ONNX. */
  readonly type: number;
  readonly shape: readonly number[];
  readonly file: string;
  readonly offset: number;
  readonly bytes: number;
}

// Field numbers from onnx.proto.
const MODEL_GRAPH = 7;
const MODEL_METADATA = 14;
const GRAPH_INITIALIZER = 5;
const TENSOR_DIMS = 1;
const TENSOR_TYPE = 2;
const TENSOR_NAME = 8;
const TENSOR_EXTERNAL = 13;
const ENTRY_KEY = 1;
const ENTRY_VALUE = 2;

// Wire types of protobuf.
const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

interface Field {
  readonly number: number;
  /** The value of a varint field. */
  readonly varint: number;
  /** The content of a length-delimited field. */
  readonly bytes: Buffer;
}

/**
 * Reads the metadata, and the shapes and positions of tensors. Throws a ModelError with the file name if the content is
 * not ONNX.
 */
export function readOnnx(file: string, content: Buffer): OnnxFacts {
  const metadata = new Map<string, string>();
  const tensors = new Map<string, readonly number[]>();
  const external = new Map<string, ExternalTensor>();
  try {
    for (const field of fieldsOf(content)) {
      if (field.number === MODEL_METADATA) metadata.set(...entry(field.bytes));
      if (field.number !== MODEL_GRAPH) continue;
      for (const inner of fieldsOf(field.bytes)) {
        if (inner.number !== GRAPH_INITIALIZER) continue;
        const { name, shape, place } = tensor(inner.bytes);
        tensors.set(name, shape);
        if (place !== undefined) external.set(name, place);
      }
    }
  } catch (cause) {
    throw new ModelError('graph_unreadable', `${file}: not an ONNX file`, { cause });
  }
  return { metadata, tensors, external };
}

function entry(bytes: Buffer): [string, string] {
  let [key, value] = ['', ''];
  for (const field of fieldsOf(bytes)) {
    if (field.number === ENTRY_KEY) key = field.bytes.toString('utf8');
    if (field.number === ENTRY_VALUE) value = field.bytes.toString('utf8');
  }
  return [key, value];
}

function tensor(bytes: Buffer): { name: string; shape: number[]; place: ExternalTensor | undefined } {
  let [name, type] = ['', 0];
  const shape: number[] = [];
  const entries = new Map<string, string>();
  for (const field of fieldsOf(bytes)) {
    if (field.number === TENSOR_NAME) name = field.bytes.toString('utf8');
    if (field.number === TENSOR_TYPE) type = field.varint;
    if (field.number === TENSOR_DIMS) shape.push(...(field.bytes.length > 0 ? packed(field.bytes) : [field.varint]));
    if (field.number === TENSOR_EXTERNAL) entries.set(...entry(field.bytes));
  }
  const file = entries.get('location');
  const [offset, length] = [Number(entries.get('offset') ?? 0), Number(entries.get('length') ?? 0)];
  return { name, shape, place: file === undefined ? undefined : { type, shape, file, offset, bytes: length } };
}

function packed(bytes: Buffer): number[] {
  const values: number[] = [];
  for (let at = 0; at < bytes.length;) {
    const { value, next } = varint(bytes, at);
    values.push(value);
    at = next;
  }
  return values;
}

const EMPTY = Buffer.alloc(0);

function* fieldsOf(bytes: Buffer): Generator<Field> {
  let at = 0;
  while (at < bytes.length) {
    const tag = varint(bytes, at);
    at = tag.next;
    const number = Math.floor(tag.value / 8);
    switch (tag.value % 8) {
      case VARINT: {
        const { value, next } = varint(bytes, at);
        at = next;
        yield { number, varint: value, bytes: EMPTY };
        break;
      }
      case BYTES: {
        const { value: length, next } = varint(bytes, at);
        at = next + length;
        if (at > bytes.length) throw new RangeError('a field extends past the end');
        yield { number, varint: 0, bytes: bytes.subarray(next, at) };
        break;
      }
      case FIXED64:
        at += 8;
        break;
      case FIXED32:
        at += 4;
        break;
      default:
        throw new RangeError('unknown wire type');
    }
  }
}

function varint(bytes: Buffer, from: number): { value: number; next: number } {
  let value = 0;
  for (let at = from, scale = 1; at < bytes.length && at < from + 10; at++, scale *= 128) {
    const byte = bytes[at] ?? 0;
    value += (byte & 127) * scale;
    if (byte < 128) return { value, next: at + 1 };
  }
  throw new RangeError('a varint is not terminated');
}
