import { API_GROUP, API_VERSION, checkResource, describeProblems } from '@svc-asr/core';
import type { ResourceOf } from '@svc-asr/core';
import type { KubeObject, OwnerReference } from '@svc-asr/kubernetes';
import type { ConsoleKind } from './store.ts';
import { digestOf, USER_LABEL } from './user-label.ts';

/** Result of reading an object of the cluster: the resource, or the reason why it is not valid. */
export type Read<K extends ConsoleKind> =
  | { resource: ResourceOf<K>; problem: undefined }
  | { resource: undefined; problem: string };

/**
 * Label of an ApiKey or Member with the name of its tenant. With it, the API server can list the objects of one tenant.
 */
export const TENANT_LABEL = `${API_GROUP}/tenant`;

/** Pattern of resource names, at most 63 characters, as part of a regular expression. */
export const NAME_PATTERN = '[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?';
const NAME = new RegExp(`^${NAME_PATTERN}$`);

/** Returns true for valid resource names. A name with a slash would address another object. */
export function isName(name: string): boolean {
  return NAME.test(name);
}

/** Returns true while the object is being deleted and its finalizer waits for the operator. */
export function isTerminating({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Reads an object as a resource of the given kind. */
export function readObject<K extends ConsoleKind>(kind: K, object: KubeObject): Read<K> {
  const checked = checkResource(object);
  if (!checked.ok) return { resource: undefined, problem: describeProblems(checked.problems) || 'it is not valid' };
  if (checked.value.kind !== kind) return { resource: undefined, problem: `it is a ${checked.value.kind}` };
  const { name, creationTimestamp, annotations } = checked.value.metadata;
  // The other metadata belongs to the API server.
  const metadata = {
    name,
    ...(creationTimestamp !== undefined && { creationTimestamp }),
    annotations: ownAnnotations(annotations),
  };
  return { resource: { ...checked.value, metadata } as ResourceOf<K>, problem: undefined };
}

/** Returns the annotations of this API group. The console ignores all others. */
export function ownAnnotations(annotations: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations).filter(([name]) => name.startsWith(`${API_GROUP}/`)));
}

/**
 * Builds the object to create for a resource. A key or member gets a label with its tenant, and an owner reference, so
 * that it is deleted with its Tenant.
 */
export function buildObject(resource: ResourceOf<ConsoleKind>, tenant: KubeObject | undefined): KubeObject {
  const { kind, metadata, spec } = resource;
  const ownerReferences = referencesTo(tenant);
  return {
    apiVersion: API_VERSION,
    kind,
    metadata: {
      name: metadata.name,
      labels: {
        'app.kubernetes.io/managed-by': 'svc-asr-console',
        'app.kubernetes.io/part-of': 'svc-asr',
        ...indexLabels(resource),
      },
      ...(metadata.annotations !== undefined && { annotations: metadata.annotations }),
      ...(ownerReferences.length > 0 && { ownerReferences }),
    },
    spec,
  };
}

/** Returns owner references to a Tenant. The garbage collector then deletes the object with the Tenant. */
export function referencesTo(tenant: KubeObject | undefined): OwnerReference[] {
  const { name, uid } = tenant?.metadata ?? {};
  return name === undefined || uid === undefined ? [] : [{ apiVersion: API_VERSION, kind: 'Tenant', name, uid }];
}

/** Returns the labels by which the API server selects resources. */
export function indexLabels(resource: ResourceOf<ConsoleKind>): Record<string, string> {
  if (resource.kind === 'Tenant') return {};
  const { tenant } = resource.spec;
  if (resource.kind === 'ApiKey') return { [TENANT_LABEL]: tenant };
  const { issuer, subject } = resource.spec;
  const isPending = issuer === undefined || subject === undefined;
  return { [TENANT_LABEL]: tenant, ...(!isPending && { [USER_LABEL]: digestOf({ issuer, subject }) }) };
}
