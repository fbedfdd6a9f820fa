import type { V1ReplicaSet } from '@kubernetes/client-node';
import { TYPES } from '@svc-asr/kubernetes';
import type { KubeObject } from '@svc-asr/kubernetes';
import type { Reflector } from '../../../kubernetes/reflector.ts';
import type { Reflect } from '../objects/object-cache.ts';
import { LABELS, POD_SELECTOR } from '../names.ts';

/** What the ReplicaSet controller knows of the pods of one ReplicaSet, as its status tells. */
export interface WorkerSet {
  /** By which its pods are told from those of another ReplicaSet of the same Deployment. */
  hash: string;
  /** Pods that it is to have. */
  replicas: number;
  /** Pods that its controller counts. */
  counted: number;
  /** Those of them that its controller knows to have been chosen to go. */
  chosen: number;
  /** Whether its controller has seen how many pods it is to have. */
  current: boolean;
  /** Whether `chosen` can be told: pods of operators before this one have no label for it. */
  tells: boolean;
}

/** The ReplicaSets of all models. */
export interface Sets {
  reflector: Reflector;
  of: (model: string, revision: string) => WorkerSet[];
}

/** Follows the ReplicaSets of workers; `onChange` hears of the model of one that may be another. */
export function createSets(reflect: Reflect, onChange: (model: string) => void): Sets {
  const found = new Map<string, Map<string, WorkerSet>>();
  const keys = new Map<string, string>();

  function note(name: string, object: KubeObject | undefined): void {
    const { [LABELS.model]: model = '', [LABELS.revision]: revision = '' } = object?.metadata.labels ?? {};
    const key = keys.get(name) ?? `${model}/${revision}`;
    const sets = found.get(key) ?? new Map<string, WorkerSet>();
    if (object === undefined) {
      sets.delete(name);
      keys.delete(name);
      if (sets.size === 0) found.delete(key);
    } else {
      found.set(key, sets.set(name, readSet(object)));
      keys.set(name, key);
    }
    onChange(key.split('/')[0] ?? '');
  }

  const reflector = reflect(TYPES.ReplicaSet, {
    labelSelector: POD_SELECTOR,
    onChange: (name) => note(name, reflector.get(name)),
    trim: trimSet,
  });
  return { reflector, of: (model, revision) => [...(found.get(`${model}/${revision}`)?.values() ?? [])] };
}

/**
 * Reads a ReplicaSet. A pod that was chosen has another label than the template, which is what `fullyLabeledReplicas`
 * counts by: the controller tells by it how many of the marks have reached it.
 */
export function readSet({ metadata, ...rest }: KubeObject): WorkerSet {
  const { spec, status } = rest as unknown as Pick<V1ReplicaSet, 'spec' | 'status'>;
  const counted = status?.replicas ?? 0;
  return {
    hash: metadata.labels?.['pod-template-hash'] ?? '',
    replicas: spec?.replicas ?? 1,
    counted,
    chosen: counted - (status?.fullyLabeledReplicas ?? 0),
    current: (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0),
    tells: metadata.labels?.[LABELS.phase] !== undefined,
  };
}

/** What `readSet` reads, and no more: pods are described in each. */
export function trimSet({ apiVersion, kind, metadata, ...rest }: KubeObject): KubeObject {
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
