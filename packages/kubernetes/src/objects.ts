/** Kubernetes objects as plain JSON, with types only for the fields that this project reads. */

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface KubeMetadata {
  name: string;
  namespace?: string;
  uid?: string;
  generation?: number;
  resourceVersion?: string;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
}

export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: KubeMetadata;
  [field: string]: unknown;
}

/** A page of a list. */
export interface KubeList {
  items: KubeObject[];
  metadata: { resourceVersion: string; continue?: string };
}

/** Address of a type of objects. The group '' is the core group. */
export interface ResourceType {
  group: string;
  version: string;
  plural: string;
  kind: string;
  /** True if only the metadata of objects is read. The API server then omits everything else. */
  metadataOnly?: boolean;
  /** True if objects of the type do not belong to a namespace. */
  clusterScoped?: boolean;
}

const type = (group: string, plural: string, kind: string): ResourceType => ({ group, version: 'v1', plural, kind });

/** Types of objects, for requests of the operator and the console. */
export const TYPES = {
  ASRModel: type('asr.svc.dev', 'asrmodels', 'ASRModel'),
  Tenant: type('asr.svc.dev', 'tenants', 'Tenant'),
  ApiKey: type('asr.svc.dev', 'apikeys', 'ApiKey'),
  Member: type('asr.svc.dev', 'members', 'Member'),
  Deployment: type('apps', 'deployments', 'Deployment'),
  ReplicaSet: type('apps', 'replicasets', 'ReplicaSet'),
  Pod: type('', 'pods', 'Pod'),
  Namespace: { ...type('', 'namespaces', 'Namespace'), clusterScoped: true },
  Node: { ...type('', 'nodes', 'Node'), clusterScoped: true },
  Service: type('', 'services', 'Service'),
  ServiceAccount: type('', 'serviceaccounts', 'ServiceAccount'),
  ConfigMap: type('', 'configmaps', 'ConfigMap'),
  Secret: type('', 'secrets', 'Secret'),
  /** Secrets without their values, which the API server then does not send. */
  SecretMetadata: { ...type('', 'secrets', 'Secret'), metadataOnly: true },
  PersistentVolumeClaim: type('', 'persistentvolumeclaims', 'PersistentVolumeClaim'),
  PodDisruptionBudget: type('policy', 'poddisruptionbudgets', 'PodDisruptionBudget'),
  NetworkPolicy: type('networking.k8s.io', 'networkpolicies', 'NetworkPolicy'),
  Job: type('batch', 'jobs', 'Job'),
  Lease: type('coordination.k8s.io', 'leases', 'Lease'),
  Event: type('', 'events', 'Event'),
} as const;

/** Returns the `apiVersion` of objects of a type. */
export function apiVersionOf({ group, version }: ResourceType): string {
  return group === '' ? version : `${group}/${version}`;
}

/** Returns the Accept header of a request for objects of a type. `isList` is true if a list is requested. */
export function acceptOf({ metadataOnly }: ResourceType, isList: boolean): string {
  const json = 'application/json';
  return metadataOnly === true ? `${json};as=PartialObjectMetadata${isList ? 'List' : ''};g=meta.k8s.io;v=v1` : json;
}
