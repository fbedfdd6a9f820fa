/** A JSON schema, or a part of one. */
type Schema = Readonly<Record<string, unknown>>;
type Schemas = Readonly<Record<string, Schema>>;

/** What an API server tells of its types at /openapi/v2, as far as it is looked into here. */
export interface OpenApi {
  definitions: Schemas;
}

const REFERENCE = '#/definitions/';
/** Told as strings, for want of a better word; numbers are taken as well. */
const NUMBER_OR_STRING: Schema = { type: ['string', 'number'] };
const LOOSE: Schemas = {
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': NUMBER_OR_STRING,
  'io.k8s.apimachinery.pkg.api.resource.Quantity': NUMBER_OR_STRING,
};

/** Where kubeconform looks for the schema of an object under the folder of schemas. */
export const SCHEMA_FILE = '{{.Group}}-{{.ResourceAPIVersion}}-{{.ResourceKind}}.json';

/** The schema of each kind that the API server knows, by file: whole in itself, and closed to fields that it does not name. */
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
    { group: string; version: string; kind: string }[] | undefined;
  // kubeconform takes the version for the group of what has none.
  return (kinds ?? []).map(
    ({ group, version, kind }) => `${group === '' ? version : group}-${version}-${kind.toLowerCase()}.json`,
  );
}

/** The same schema, in which every object that names its fields has no others. */
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

/** A definition and all that it leads to. */
function reach(definitions: Schemas, first: string): Schemas {
  const names = new Set([first]);
  // A set that grows while it is walked.
  for (const name of names) {
    for (const [, other = ''] of JSON.stringify(definitions[name] ?? {}).matchAll(/"#\/definitions\/([^"]+)"/g)) {
      names.add(other);
    }
  }
  return Object.fromEntries([...names].map((name) => [name, definitions[name] ?? {}]));
}
