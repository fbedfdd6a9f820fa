import type { TSchema } from 'typebox';

/** The subset of JSON Schema that the documents use. */
export interface JsonSchema {
  $ref?: string;
  type?: string;
  const?: unknown;
  enum?: unknown[];
  format?: string;
  pattern?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  items?: JsonSchema | false;
  prefixItems?: JsonSchema[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean;
  description?: string;
  examples?: unknown[];
}

type Json = Record<string, unknown>;

/**
 * Converts TypeBox schemas to the named schemas of a document. A named schema inside another becomes a `$ref`. Only the
 * schemas in `closed` refuse unknown fields. Responses may gain fields in later versions, and clients must accept them.
 */
export function publishSchemas(
  named: Readonly<Record<string, TSchema>>,
  closed: readonly string[],
): Record<string, JsonSchema> {
  const names = new Map<unknown, string>(Object.entries(named).map(([name, schema]) => [schema, name]));
  const publish = (value: unknown, isClosed: boolean): unknown => {
    if (Array.isArray(value)) return value.map((item) => nested(item, isClosed));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(dialect(value as Json))
      .filter(([key, inner]) => isClosed || key !== 'additionalProperties' || inner !== false)
      .map(([key, inner]) => [key, nested(inner, isClosed)] as const);
    return Object.fromEntries(entries);
  };
  const nested = (value: unknown, isClosed: boolean): unknown => {
    const name = names.get(value);
    return name === undefined ? publish(value, isClosed) : refTo(name);
  };
  return Object.fromEntries(
    Object.entries(named).map(([name, schema]) => [name, publish(schema, closed.includes(name)) as JsonSchema]),
  );
}

/** Returns a reference to a named schema of the document. */
export function refTo(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/**
 * Converts a schema from draft 7, which TypeBox uses for tuples, to draft 2020-12. A constant that is a whole number
 * gets the type integer.
 */
function dialect(schema: Json): Json {
  if (Array.isArray(schema.items)) {
    const prefixItems: unknown[] = schema.items;
    const rest = Object.fromEntries(Object.entries(schema).filter(([key]) => key !== 'additionalItems'));
    return { ...rest, prefixItems, items: false, minItems: prefixItems.length, maxItems: prefixItems.length };
  }
  return Number.isInteger(schema.const) ? { ...schema, type: 'integer' } : schema;
}
