import type { Schema } from './definitions.ts';
import type { Value } from './values.ts';

/**
 * Builds the schema of the chart's values. It rejects unknown names, because a misspelled value would otherwise have no
 * effect.
 */
export function buildValuesSchema(values: readonly Value[]): Schema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Values of the chart svc-asr',
    $comment: 'Generated from values.yaml by `npm run charts`; a test fails when it differs from it.',
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
