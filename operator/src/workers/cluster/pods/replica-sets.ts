import type { V1ReplicaSet } from '@kubernetes/client-node';
import { TYPES } from '@svc-asr/kubernetes';
import type { KubeObject } from '@svc-asr/kubernetes';
import type { Reflector } from '../../../kubernetes/reflector.ts';
import { LABELS, POD_SELECTOR } from '../names.ts';
import type { Reflect } from '../objects/object-cache.ts';

/** A ReplicaSet, and what its controller knows of its pods according to its status. */
export interface WorkerReplicaSet {
  /** The label `pod-template-hash`, which the pods of the ReplicaSet have as well. */
  hash: string;
  /** Number of pods that the ReplicaSet should have. */
  replicas: number;
  /** Number of pods that the controller of the ReplicaSet counts. */
  observedPods: number;
  /** Number of those pods that the controller knows to be selected for removal. */
  observedSelected: number;
  /** Whether the controller has seen the current number of replicas. */
  upToDate: boolean;
  /** Whether `observedSelected` is valid. Pods of early operator versions lack the label that is counted. */
  hasPhaseLabel: boolean;
}

/** The ReplicaSets of all models. */
export interface ReplicaSets {
  reflector: Reflector;
  of: (model: string, revision: string, tier?: string) => WorkerReplicaSet[];
}

/** Follows the ReplicaSets of workers. Calls `onChange` with the model of each one that may have changed. */
export function createReplicaSets(reflect: Reflect, onChange: (model: string) => void): ReplicaSets {
  const setsByKey = new Map<string, Map<string, WorkerReplicaSet>>();
  const keyByName = new Map<string, string>();

  function update(name: string, object: KubeObject | undefined): void {
    const labels = object?.metadata.labels ?? {};
    const { [LABELS.model]: model = '', [LABELS.revision]: revision = '', [LABELS.tier]: tier = '' } = labels;
    const key = keyByName.get(name) ?? `${model}/${revision}/${tier}`;
    const sets = setsByKey.get(key) ?? new Map<string, WorkerReplicaSet>();
    if (object === undefined) {
      sets.delete(name);
      keyByName.delete(name);
      if (sets.size === 0) setsByKey.delete(key);
    } else {
      setsByKey.set(key, sets.set(name, readReplicaSet(object)));
      keyByName.set(name, key);
    }
    onChange(key.split('/')[0] ?? '');
  }

  const reflector = reflect(TYPES.ReplicaSet, {
    labelSelector: POD_SELECTOR,
    onChange: (name) => update(name, reflector.get(name)),
    trim: trimReplicaSet,
  });
  return {
    reflector,
    of: (model, revision, tier = '') => [...(setsByKey.get(`${model}/${revision}/${tier}`)?.values() ?? [])],
  };
}

/**
 * Reads a ReplicaSet. The phase label of a selected pod differs from the pod template, so `fullyLabeledReplicas` does
 * not count it. The difference to `replicas` is the number of selections that the controller has seen.
 */
export function readReplicaSet({ metadata, ...rest }: KubeObject): WorkerReplicaSet {
  const { spec, status } = rest as unknown as Pick<V1ReplicaSet, 'spec' | 'status'>;
  const observedPods = status?.replicas ?? 0;
  return {
    hash: metadata.labels?.['pod-template-hash'] ?? '',
    replicas: spec?.replicas ?? 1,
    observedPods,
    observedSelected: observedPods - (status?.fullyLabeledReplicas ?? 0),
    upToDate: (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0),
    hasPhaseLabel: metadata.labels?.[LABELS.phase] !== undefined,
  };
}

/** Returns the part of a ReplicaSet that `readReplicaSet` reads. The pod template takes most of the memory. */
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
