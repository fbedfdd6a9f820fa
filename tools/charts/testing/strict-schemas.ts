/** A JSON schema, or a part of one. */
type Schema = Readonly<Record<string, unknown>>;
type Schemas = Readonly<Record<string, Schema>>;

/** Type definitions that an API server publishes at /openapi/v2. */
export interface OpenApi {
  definitions: Schemas;
}

const REFERENCE = '#/definitions/';
/** The API server publishes these types as strings, but also accepts numbers. */
const NUMBER_OR_STRING: Schema = { type: ['string', 'number'] };
const LOOSE: Schemas = {
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': NUMBER_OR_STRING,
  'io.k8s.apimachinery.pkg.api.resource.Quantity': NUMBER_OR_STRING,
};

/** Template of the file name under which kubeconform looks for the schema of an object. */
export const SCHEMA_FILE = '{{.Group}}-{{.ResourceAPIVersion}}-{{.ResourceKind}}.json';

/** Builds a self-contained schema for each kind of the API server, by file name. The schemas reject unknown fields. */
export function buildStrictSchemas({ definitions }: OpenApi): Map<string, Schema> {
  const closed = Object.fromEntries(
    Object.entries(definitions).map(([name, definition]) => [name, LOOSE[name] ?? close(definition)]),
  );
  const files = new Map<string, Schema>();
  for (const [name, definition] of Object.entries(definitions)) {
    for (const file of filesOf(definition))
      files.set(file, { $ref: REFERENCE + name, definitions: reach(closed, name) });
  }
  return files;
}

function filesOf(definition: Schema): string[] {
  const kinds = definition['x-kubernetes-group-version-kind'] as
    | { group: string; version: string; kind: string }[]
    | undefined;
  // kubeconform uses the version as group for kinds without a group.
  return (kinds ?? []).map(
    ({ group, version, kind }) => `${group === '' ? version : group}-${version}-${kind.toLowerCase()}.json`,
  );
}

/** Returns the schema with `additionalProperties: false` for every object that names its fields. */
function close(schema: Schema): Schema {
  const { properties, items, additionalProperties } = schema as {
    properties?: Schemas;
    items?: Schema;
    additionalProperties?: Schema | boolean;
  };
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
  return {
    ...schema,
    ...(properties === undefined ? {} : { properties: closeAll(properties) }),
    ...(items === undefined ? {} : { items: close(items) }),
    ...(typeof additionalProperties === 'object' ? { additionalProperties: close(additionalProperties) } : {}),
    ...(properties !== undefined && additionalProperties === undefined && !isOpen
      ? { additionalProperties: false }
      : {}),
  };
}

function closeAll(schemas: Schemas): Schemas {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, close(schema)]));
}

/** Returns a definition and all definitions that it refers to. */
function reach(definitions: Schemas, first: string): Schemas {
  const names = new Set([first]);
  // The loop also visits names that are added meanwhile.
  for (const name of names) {
    for (const [, other = ''] of JSON.stringify(definitions[name] ?? {}).matchAll(/"#\/definitions\/([^"]+)"/g)) {
      names.add(other);
    }
  }
  return Object.fromEntries([...names].map((name) => [name, definitions[name] ?? {}]));
}
