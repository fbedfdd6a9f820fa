import type { V1ReplicaSet } from '@kubernetes/client-node';
import { TYPES } from '@svc-asr/kubernetes';
import type { KubeObject } from '@svc-asr/kubernetes';
import type { Reflector } from '../../../kubernetes/reflector.ts';
import type { Reflect } from '../objects/object-cache.ts';
import { LABELS, POD_SELECTOR } from '../names.ts';

/** What the ReplicaSet controller knows of the pods of one ReplicaSet, as its status tells. */
export interface WorkerReplicaSet {
  /** By which its pods are told from those of another ReplicaSet of the same Deployment. */
  hash: string;
  /** Pods that it is to have. */
  replicas: number;
  /** Pods that its controller counts. */
  observedPods: number;
  /** Those of them that its controller knows to have been chosen to go. */
  observedSelected: number;
  /** Whether its controller has seen how many pods it is to have. */
  upToDate: boolean;
  /** Whether `chosen` can be told: pods of operators before this one have no label for it. */
  hasPhaseLabel: boolean;
}

/** The ReplicaSets of all models. */
export interface ReplicaSets {
  reflector: Reflector;
  of: (model: string, revision: string) => WorkerReplicaSet[];
}

/** Follows the ReplicaSets of workers; `onChange` hears of the model of one that may be another. */
export function createReplicaSets(reflect: Reflect, onChange: (model: string) => void): ReplicaSets {
  const found = new Map<string, Map<string, WorkerReplicaSet>>();
  const keys = new Map<string, string>();

  function note(name: string, object: KubeObject | undefined): void {
    const { [LABELS.model]: model = '', [LABELS.revision]: revision = '' } = object?.metadata.labels ?? {};
    const key = keys.get(name) ?? `${model}/${revision}`;
    const sets = found.get(key) ?? new Map<string, WorkerReplicaSet>();
    if (object === undefined) {
      sets.delete(name);
      keys.delete(name);
      if (sets.size === 0) found.delete(key);
    } else {
      found.set(key, sets.set(name, readReplicaSet(object)));
      keys.set(name, key);
    }
    onChange(key.split('/')[0] ?? '');
  }

  const reflector = reflect(TYPES.ReplicaSet, {
    labelSelector: POD_SELECTOR,
    onChange: (name) => note(name, reflector.get(name)),
    trim: trimReplicaSet,
  });
  return { reflector, of: (model, revision) => [...(found.get(`${model}/${revision}`)?.values() ?? [])] };
}

/**
 * Reads a ReplicaSet. A pod that was chosen has another label than the template, which is what `fullyLabeledReplicas`
 * counts by: the controller tells by it how many of the marks have reached it.
 */
export function readReplicaSet({ metadata, ...rest }: KubeObject): WorkerReplicaSet {
  const { spec, status } = rest as unknown as Pick<V1ReplicaSet, 'spec' | 'status'>;
  const counted = status?.replicas ?? 0;
  return {
    hash: metadata.labels?.['pod-template-hash'] ?? '',
    replicas: spec?.replicas ?? 1,
    observedPods: counted,
    observedSelected: counted - (status?.fullyLabeledReplicas ?? 0),
    upToDate: (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0),
    hasPhaseLabel: metadata.labels?.[LABELS.phase] !== undefined,
  };
}

/** What `readSet` reads, and no more: pods are described in each. */
export function trimReplicaSet({ apiVersion, kind, metadata, ...rest }: KubeObject): KubeObject {
  const { name, uid, resourceVersion, generation, labels } = metadata;
  const { spec, status } = rest as unknown as Pick<V1ReplicaSet, 'spec' | 'status'>;
  const { replicas, fullyLabeledReplicas, observedGeneration } = status ?? {};
  return {
    apiVersion,
    kind,
    spec: { replicas: spec?.replicas },
    metadata: JSON.parse(JSON.stringify({ name, uid, resourceVersion, generation, labels })) as KubeObject['metadata'],
    status: { replicas, fullyLabeledReplicas, observedGeneration },
  };
}
