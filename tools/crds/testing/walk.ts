import type { CelRule } from '@svc-asr/core';
import type { Structural } from '../structural.ts';

/** A field of a schema and where it stands. */
export interface Field {
  path: string;
  field: Structural;
}

/** Every field of a schema, itself included. */
export function walk(field: Structural, path = ''): Field[] {
  const { properties = {}, items, additionalProperties } = field;
  return [
    { path, field },
    ...Object.entries(properties).flatMap(([name, inner]) => walk(inner, `${path}.${name}`)),
    ...(items === undefined ? [] : walk(items, `${path}[]`)),
    ...(additionalProperties === undefined ? [] : walk(additionalProperties, `${path}.*`)),
  ];
}

/** The CEL rules of a field. */
export function rulesOf({ field }: Field): CelRule[] {
  return (field['x-kubernetes-validations'] ?? []) as CelRule[];
}
