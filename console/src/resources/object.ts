import { API_GROUP, API_VERSION, checkResource, describeProblems } from '@svc-asr/core';
import type { ResourceOf } from '@svc-asr/core';
import type { KubeObject } from '@svc-asr/kubernetes';
import type { ConsoleKind } from './store.ts';

/** What an object of the cluster is to the console: a resource, or what keeps it from being one. */
export type Read<K extends ConsoleKind> =
  { resource: ResourceOf<K>; problem: undefined } | { resource: undefined; problem: string };

/** As the API server sees to it for our kinds. A name with a slash would lead to another object. */
export function isName(name: string): boolean {
  return name.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name);
}

/** Deleted, and only still there until the operator has brought it out of force. */
export function isLeaving({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Reads an object as a resource of a kind. */
export function readObject<K extends ConsoleKind>(kind: K, object: KubeObject): Read<K> {
  const checked = checkResource(object);
  if (!checked.ok) return { resource: undefined, problem: describeProblems(checked.problems) || 'it is not valid' };
  if (checked.value.kind !== kind) return { resource: undefined, problem: `it is a ${checked.value.kind}` };
  const { name, creationTimestamp, annotations } = checked.value.metadata;
  // The rest of the metadata is for the API server.
  const metadata = {
    name,
    ...(creationTimestamp !== undefined && { creationTimestamp }),
    annotations: ownAnnotations(annotations),
  };
  return { resource: { ...checked.value, metadata } as ResourceOf<K>, problem: undefined };
}

/** Annotations that are the console's; those of others are none of its business. */
export function ownAnnotations(annotations: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations).filter(([name]) => name.startsWith(`${API_GROUP}/`)));
}

/** The object to create for a resource; a key goes with the Tenant that owns it. */
export function buildObject(
  { kind, metadata, spec }: ResourceOf<ConsoleKind>,
  tenant: KubeObject | undefined,
): KubeObject {
  const { name, uid } = tenant?.metadata ?? {};
  const ownerReferences =
    name === undefined || uid === undefined ? [] : [{ apiVersion: API_VERSION, kind: 'Tenant', name, uid }];
  return {
    apiVersion: API_VERSION,
    kind,
    metadata: {
      name: metadata.name,
      labels: { 'app.kubernetes.io/managed-by': 'svc-asr-console', 'app.kubernetes.io/part-of': 'svc-asr' },
      ...(metadata.annotations !== undefined && { annotations: metadata.annotations }),
      ...(ownerReferences.length > 0 && { ownerReferences }),
    },
    spec,
  };
}
