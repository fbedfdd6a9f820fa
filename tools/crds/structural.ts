import type { TSchema } from 'typebox';

/** A structural schema: the subset of OpenAPI that the API server accepts in a CustomResourceDefinition. */
export interface Structural {
  description?: string;
  type?: string;
  format?: string;
  default?: unknown;
  nullable?: boolean;
  enum?: readonly unknown[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  maxProperties?: number;
  anyOf?: readonly Structural[];
  items?: Structural;
  additionalProperties?: Structural;
  required?: readonly string[];
  properties?: Readonly<Record<string, Structural>>;
  [extension: `x-kubernetes-${string}`]: unknown;
}

/** Keywords that are the same in JSON Schema and in structural schemas, in the order of the output. */
const SHARED = ['type', 'format', 'default', 'enum', 'pattern', 'minLength', 'maxLength', 'minimum', 'maximum'].concat([
  'minItems',
  'maxItems',
  'maxProperties',
]);
/**
 * Keywords that need a translation. `additionalProperties: false` is left out, because the API server never stores
 * fields that a structural schema does not contain.
 */
const TRANSLATED = [
  'description',
  'anyOf',
  'items',
  'properties',
  'patternProperties',
  'required',
  'additionalProperties',
];

type Json = Record<string, unknown>;

/** Converts a schema to its structural form. Throws for anything without such a form, so that nothing is lost. */
export function toStructural(schema: TSchema): Structural {
  const json = schema as Json;
  const unknown = Object.keys(json).filter((key) => !isKnown(key));
  if (unknown.length > 0) throw new Error(`no structural form is known for ${unknown.join(', ')}`);
  return {
    ...pick(json, (key) => key === 'description'),
    ...(Array.isArray(json.enum) ? { type: typeof json.enum[0] } : {}),
    ...pick(json, (key) => SHARED.includes(key)),
    ...alternatives(json),
    ...pick(json, (key) => key.startsWith('x-kubernetes-')),
    ...(json.items === undefined ? {} : { items: toStructural(json.items as TSchema) }),
    ...mapValues(json),
    ...fields(json),
  };
}

/** Converts a union. Only the unions "a type or null" and "string or integer" have a structural form. */
function alternatives({ anyOf }: Json): Structural {
  if (anyOf === undefined) return {};
  const forms = (anyOf as TSchema[]).map(toStructural);
  const [first, second] = forms;
  if (forms.length === 2 && first !== undefined && second?.type === 'null') return { ...first, nullable: true };
  if (forms.length === 2 && first?.type === 'string' && second?.type === 'integer') {
    const withoutType = Object.entries({ ...first, ...second }).filter(([key]) => key !== 'type');
    return {
      ...Object.fromEntries(withoutType),
      anyOf: [{ type: 'integer' }, { type: 'string' }],
      'x-kubernetes-int-or-string': true,
    };
  }
  throw new Error(`no structural form is known for ${JSON.stringify(anyOf)}`);
}

function mapValues({ patternProperties }: Json): Structural {
  if (patternProperties === undefined) return {};
  const [value] = Object.values(patternProperties as Record<string, TSchema>);
  return value === undefined ? {} : { additionalProperties: toStructural(value) };
}

function fields(json: Json): Structural {
  if (json.properties === undefined) return {};
  const properties = Object.entries(json.properties as Record<string, TSchema>).map(
    ([name, property]) => [name, toStructural(property)] as const,
  );
  // Fields with a default are optional.
  const optional = new Set(properties.filter(([, { default: value }]) => value !== undefined).map(([name]) => name));
  const required = ((json.required ?? []) as string[]).filter((name) => !optional.has(name));
  return {
    ...(json.default === undefined ? {} : { default: fillDefaults(json.default as Json, properties) }),
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries(properties),
  };
}

/**
 * Adds the defaults of the fields to the default of their object. The API server validates this default before it fills
 * in inner defaults.
 */
function fillDefaults(value: Json, properties: readonly (readonly [string, Structural])[]): Json {
  const inner = properties.flatMap(([name, { default: fallback }]) =>
    fallback === undefined ? [] : [[name, fallback]],
  );
  return { ...(Object.fromEntries(inner) as Json), ...value };
}

function isKnown(key: string): boolean {
  return key.startsWith('~') || key.startsWith('x-kubernetes-') || SHARED.includes(key) || TRANSLATED.includes(key);
}

function pick(json: Json, wanted: (key: string) => boolean): Structural {
  const order = (key: string) => SHARED.indexOf(key);
  return Object.fromEntries(
    Object.entries(json)
      .filter(([key]) => wanted(key))
      .sort(([a], [b]) => order(a) - order(b)),
  );
}
