import { isDeepStrictEqual } from 'node:util';
import { TYPES } from '@svc-asr/kubernetes';
import { LABELS, PHASES, revisionName } from '../workers/cluster/names.ts';
import type { DesiredWorkers } from '../workers/runtime.ts';
import type { WorkerTemplate } from '../workers/template.ts';
import type { ClusterApi } from './cluster-api.ts';

/** Pairs of the template of a revision and its number of workers. */
export type Counts = readonly (readonly [WorkerTemplate, number])[];

/** Returns the desired state of a model with these workers. */
export const desiredWorkers = (counts: Counts, more: Partial<DesiredWorkers> = {}): DesiredWorkers => ({
  template: counts[0]?.[0],
  counts: new Map(counts.map(([{ revision }, count]) => [revision, count])),
  stop: [],
  scale: undefined,
  evictable: 1,
  rollout: undefined,
  ...more,
});

/** Returns the replicas of a Deployment. */
export const replicasOf = (cluster: ClusterApi, name: string) =>
  (cluster.get(TYPES.Deployment, name)?.spec as { replicas?: number } | undefined)?.replicas;

/** Pods of the model `m`, which a test adds to a cluster. */
export class TestPods {
  readonly #cluster: ClusterApi;
  readonly #names = new Set<string>();

  constructor(cluster: ClusterApi) {
    this.#cluster = cluster;
  }

  /** Adds a pod of a revision. It is ready unless `status` has other conditions. */
  add(name: string, revision: string, status: object, node = 'n'): void {
    this.#names.add(name);
    this.#cluster.put(TYPES.Pod, {
      metadata: { name, labels: { [LABELS.model]: 'm', [LABELS.revision]: revision } },
      spec: { nodeName: node },
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }], ...status },
    });
  }

  /** Updates the status of a ReplicaSet as its controller does when it has seen all pods. */
  updateReplicaSet(revision: string): void {
    const cluster = this.#cluster;
    const name = revisionName('m', revision);
    const found = [...this.#names].flatMap((one) => cluster.get(TYPES.Pod, one) ?? []);
    const own = found.filter(({ metadata }) => metadata.labels?.[LABELS.revision] === revision);
    const staying = own.filter(({ metadata }) => metadata.labels?.[LABELS.phase] !== PHASES.leaving);
    const set = {
      metadata: {
        name,
        generation: 1,
        labels: { [LABELS.model]: 'm', [LABELS.revision]: revision, [LABELS.phase]: 'x' },
      },
      spec: { replicas: replicasOf(cluster, name) },
      status: { replicas: own.length, fullyLabeledReplicas: staying.length, observedGeneration: 1 },
    };
    const before = cluster.get(TYPES.ReplicaSet, name);
    if (!isDeepStrictEqual([before?.spec, before?.status], [set.spec, set.status])) cluster.put(TYPES.ReplicaSet, set);
  }
}
