import Type from 'typebox';
import type { Static, TObjectOptions, TProperties } from 'typebox';
import type { CelRule } from './extensions.ts';

export const API_GROUP = 'asr.svc.dev';
export const API_VERSION = `${API_GROUP}/v1`;

const NAME = { pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', minLength: 1, maxLength: 63 };

/**
 * Names of resources are DNS labels of at most 63 characters, because they become label values, ids and parts of Redis
 * keys.
 */
export const ResourceName = Type.String(NAME);

/** Builds the schema of a field that names another object. */
export function nameOf(description: string) {
  return Type.String({ ...NAME, description });
}

/**
 * Kubernetes allows DNS subdomains as names. This rule excludes dots and names of more than 63 characters, so that a
 * name is a DNS label.
 */
export const NAME_RULE: CelRule = {
  rule: "self.metadata.name.size() <= 63 && !self.metadata.name.contains('.')",
  message: 'metadata.name must be at most 63 characters without a dot: choose a shorter name, with - for each dot',
  fieldPath: '.metadata.name',
};

/** Schema of the Kubernetes metadata fields that this project reads. Other fields are kept and ignored. */
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

/** Builds the schema of an object without additional fields. */
export function closed<P extends TProperties>(properties: P, options: TObjectOptions = {}) {
  return Type.Object(properties, { ...options, additionalProperties: false });
}
