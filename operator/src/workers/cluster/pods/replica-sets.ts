import type { V1ReplicaSet } from '@kubernetes/client-node';
import { TYPES } from '@svc-asr/kubernetes';
import type { KubeObject } from '@svc-asr/kubernetes';
import type { Reflector } from '../../../kubernetes/reflector.ts';
import { LABELS, POD_SELECTOR } from '../names.ts';
import type { Reflect } from '../objects/object-cache.ts';

/** A ReplicaSet. Its status shows what the ReplicaSet controller knows about the pods. */
export interface WorkerReplicaSet {
  /** The label `pod-template-hash`, which the pods of the ReplicaSet have as well. */
  hash: string;
  /** Number of pods that the ReplicaSet should have. */
  replicas: number;
  /** Number of pods that the ReplicaSet controller counts. */
  observedPods: number;
  /** Number of these pods that the controller has observed to be selected for removal. */
  observedSelected: number;
  /** Whether the controller has seen the current number of replicas. */
  upToDate: boolean;
  /**
   * Whether `observedSelected` is valid. ReplicaSets of early operator versions lack the phase label, from which this
   * number is derived.
   */
  hasPhaseLabel: boolean;
}

/** The ReplicaSets of all models in a namespace. */
export interface ReplicaSets {
  reflector: Reflector;
  of: (model: string, revision: string, tier?: string) => WorkerReplicaSet[];
}

/** Follows the ReplicaSets of workers. Calls `onChange` with the model of each ReplicaSet that may have changed. */
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
 * Reads a ReplicaSet. Its controller counts the pods whose labels match the pod template, in `fullyLabeledReplicas`.
 * The phase label of a pod that was selected for removal does not match. All other pods match, so `replicas` minus
 * `fullyLabeledReplicas` is the number of selected pods that the controller has observed.
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

/**
 * Returns a ReplicaSet with only the fields that `readReplicaSet` reads. Without the pod template, it takes much less
 * memory.
 */
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
