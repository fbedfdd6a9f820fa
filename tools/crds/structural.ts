import type { TSchema } from 'typebox';

/** A structural schema: the part of OpenAPI that the API server takes in a CustomResourceDefinition. */
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

/** What both dialects say in the same words, in the order in which people want to read it. */
const SHARED = ['type', 'format', 'default', 'enum', 'pattern', 'minLength', 'maxLength', 'minimum', 'maximum'].concat([
  'minItems',
  'maxItems',
  'maxProperties',
]);
/** What is said in other words, or need not be said: fields that are not listed are refused in any case. */
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

/** The structural form of one of our schemas; throws for what has none, rather than losing it. */
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

/** A field that may be null, or text or a whole number: the only alternatives that there is a form for. */
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
  // What has a default need not be written.
  const optional = new Set(properties.filter(([, { default: value }]) => value !== undefined).map(([name]) => name));
  const required = ((json.required ?? []) as string[]).filter((name) => !optional.has(name));
  return {
    ...(json.default === undefined ? {} : { default: fillDefaults(json.default as Json, properties) }),
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries(properties),
  };
}

/** A default must keep the rules as it stands: the API server checks it before it fills in what is inside. */
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
