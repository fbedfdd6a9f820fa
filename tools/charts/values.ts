import { isMap, isPair, isScalar, parseDocument } from 'yaml';
import type { Pair, YAMLMap } from 'yaml';
import { DEFINITIONS } from './definitions.ts';
import type { Schema } from './definitions.ts';

/** A value of the chart, as defined in values.yaml. */
export interface Value {
  /** Path from the root, such as `gateway.replicas`. */
  path: string;
  name: string;
  description: string;
  /** Default value. */
  fallback: unknown;
  /** Allowed values. Undefined if the type of the default is the only constraint. */
  schema: Schema | undefined;
  /** Values of a group. A map that is a single value, such as labels, has none. */
  children: Value[];
}

const ANNOTATION = '@schema ';

/**
 * Parses values.yaml. The comment above a key is its description. A line of this comment that starts with `@schema`
 * contains the schema.
 */
export function parseValues(text: string): Value[] {
  const { contents, errors } = parseDocument(text);
  if (errors[0] !== undefined) throw errors[0];
  if (!isMap(contents)) throw new Error('values.yaml is not a map');
  return readMap(contents, '');
}

function readMap(map: YAMLMap, parent: string): Value[] {
  return map.items.map((pair, at) => readPair(pair, parent, at === 0 ? (map.commentBefore ?? '') : ''));
}

function readPair(pair: Pair, parent: string, above: string): Value {
  if (!isPair(pair) || !isScalar(pair.key)) throw new Error(`${parent}: a key is not a word`);
  const name = String(pair.key.value);
  const path = parent === '' ? name : `${parent}.${name}`;
  const comment = lastBlock(pair.key.commentBefore ?? above);
  const lines = comment.split('\n').map((line) => line.trim());
  const annotation = lines.find((line) => line.startsWith(ANNOTATION))?.slice(ANNOTATION.length);
  const schema = annotation === undefined ? undefined : resolve(path, annotation);
  const isGroup = isMap(pair.value) && schema === undefined;
  return {
    path,
    name,
    schema,
    description: lines
      .filter((line) => !line.startsWith(ANNOTATION))
      .join(' ')
      .trim(),
    fallback: (pair.value as { toJSON: () => unknown } | null)?.toJSON(),
    children: isGroup ? readMap(pair.value as YAMLMap, path) : [],
  };
}

/** Returns the last block of a comment. Blocks before an empty line do not describe the value. */
function lastBlock(comment: string): string {
  return comment.split(/\n\s*\n/).at(-1) ?? '';
}

function resolve(path: string, annotation: string): Schema {
  const schema = JSON.parse(annotation) as Schema;
  if (typeof schema.ref !== 'string') return schema;
  const found = DEFINITIONS[schema.ref];
  if (found === undefined) throw new Error(`${path}: there is no schema named ${schema.ref}`);
  return found;
}

/**
 * Builds the schema of the chart's values. It rejects unknown names, because a misspelled value would otherwise have no
 * effect.
 */
export function buildValuesSchema(values: readonly Value[]): Schema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Values of the chart svc-asr',
    $comment: 'Generated from values.yaml by `npm run charts`. A test fails if this file is not up to date.',
    ...closed(values),
  };
}

function closed(values: readonly Value[]): Schema {
  const properties = Object.fromEntries(values.map((value) => [value.name, schemaOf(value)]));
  return { type: 'object', additionalProperties: false, properties };
}

function schemaOf({ path, description, fallback, schema, children }: Value): Schema {
  if (children.length > 0) return { description, ...closed(children) };
  return { description, ...(schema ?? { type: typeOf(path, fallback) }), default: fallback };
}

function typeOf(path: string, fallback: unknown): string {
  if (typeof fallback === 'string' || typeof fallback === 'boolean') return typeof fallback;
  throw new Error(`${path}: add a @schema line with the allowed values`);
}
