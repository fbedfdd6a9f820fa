import type { CelRule } from '@svc-asr/core';
import type { Structural } from '../structural.ts';

/** A field of a schema and its path. */
export interface Field {
  path: string;
  field: Structural;
}

/** Returns every field of a schema, including the schema itself. */
export function walk(field: Structural, path = ''): Field[] {
  const { properties = {}, items, additionalProperties } = field;
  return [
    { path, field },
    ...Object.entries(properties).flatMap(([name, inner]) => walk(inner, `${path}.${name}`)),
    ...(items === undefined ? [] : walk(items, `${path}[]`)),
    ...(additionalProperties === undefined ? [] : walk(additionalProperties, `${path}.*`)),
  ];
}

/** Returns the CEL rules of a field. */
export function rulesOf({ field }: Field): CelRule[] {
  return (field['x-kubernetes-validations'] ?? []) as CelRule[];
}
