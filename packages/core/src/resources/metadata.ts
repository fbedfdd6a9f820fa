import Type from 'typebox';
import type { Static, TProperties } from 'typebox';

export const API_GROUP = 'asr.svc.dev';
export const API_VERSION = `${API_GROUP}/v1`;

/** Names of resources are DNS labels of at most 63 characters: they become label values, ids and parts of Redis keys. */
export const ResourceName = Type.String({ pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', minLength: 1, maxLength: 63 });

/** The part of Kubernetes metadata that we read; whatever else is there is kept and ignored. */
export const Metadata = Type.Object({
  name: ResourceName,
  namespace: Type.Optional(Type.String()),
  uid: Type.Optional(Type.String()),
  generation: Type.Optional(Type.Integer()),
  resourceVersion: Type.Optional(Type.String()),
  creationTimestamp: Type.Optional(Type.String()),
  deletionTimestamp: Type.Optional(Type.String()),
  labels: Type.Optional(Type.Record(Type.String(), Type.String())),
  annotations: Type.Optional(Type.Record(Type.String(), Type.String())),
  finalizers: Type.Optional(Type.Array(Type.String())),
  ownerReferences: Type.Optional(Type.Array(Type.Unknown())),
});
export type Metadata = Static<typeof Metadata>;

/** An object that takes no field but those listed. */
export function closed<P extends TProperties>(
  properties: P,
  options: { description?: string; default?: unknown } = {},
) {
  return Type.Object(properties, { additionalProperties: false, ...options });
}
