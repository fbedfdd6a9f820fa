import { API_GROUP, RESOURCE_SCHEMAS } from '@svc-asr/core';
import type { Kind } from '@svc-asr/core';
import { KIND_NAMES, pluralOf } from './kinds.ts';
import { toStructural } from './structural.ts';
import type { Structural } from './structural.ts';

/** Fields that every Kubernetes object has. The API server validates them without a schema. */
const OWN: Readonly<Record<string, Structural>> = {
  apiVersion: { description: 'Group and version of the resource: asr.svc.dev/v1.', type: 'string' },
  kind: { description: 'Kind of the resource.', type: 'string' },
  // A rule can refer to a metadata field only if the schema contains it.
  metadata: { type: 'object', properties: { name: { type: 'string' } } },
};

/** Builds the structural schema of a kind. */
export function buildSchema(kind: Kind): Structural {
  const schema = RESOURCE_SCHEMAS[kind];
  const { spec } = schema.properties;
  const status = statusOf(kind);
  const properties = status === undefined ? { spec } : { spec, status };
  const own = toStructural({ ...schema, required: ['spec'], properties });
  return { ...own, properties: { ...OWN, ...own.properties } };
}

/** Builds the CustomResourceDefinition of a kind. */
export function buildDefinition(kind: Kind): object {
  const { shortName, columns, scale } = KIND_NAMES[kind];
  const plural = pluralOf(kind);
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${API_GROUP}`,
      labels: { 'app.kubernetes.io/name': 'svc-asr', 'app.kubernetes.io/part-of': 'svc-asr' },
    },
    spec: {
      group: API_GROUP,
      scope: 'Namespaced',
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        shortNames: [shortName],
        categories: ['asr'],
      },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          additionalPrinterColumns: columns,
          ...(statusOf(kind) !== undefined && {
            subresources: { status: {}, ...(scale === undefined ? {} : { scale }) },
          }),
          schema: { openAPIV3Schema: buildSchema(kind) },
        },
      ],
    },
  };
}

/** Returns the schema of the status. Undefined for a kind that has none. */
function statusOf(kind: Kind) {
  const { properties } = RESOURCE_SCHEMAS[kind];
  return 'status' in properties ? properties.status : undefined;
}
