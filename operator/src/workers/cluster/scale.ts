import type { WorkerPod } from './pod.ts';

export interface ScaleInput {
  /** Workers that have to run, those that were chosen to go not counted. */
  count: number;
  /** What the Deployment has now; undefined: there is none yet. */
  replicas: number | undefined;
  /** The pods of the revision. */
  pods: readonly WorkerPod[];
}

export interface Scale {
  /** What the Deployment is to have. */
  replicas: number;
  /** To be deleted by the operator, since Kubernetes would not take them, or would take others. */
  remove: WorkerPod[];
}

/**
 * Decides how the pods that were chosen to go are taken away.
 *
 * | pods beyond what is wanted              | replicas                  | who takes away those that were chosen     |
 * |-----------------------------------------|---------------------------|-------------------------------------------|
 * | none was chosen                         | wanted, or as many as run | nobody: without being chosen none goes    |
 * | as many as were chosen, first in order  | as many as stay           | Kubernetes, by readiness and deletion cost |
 * | others would come first in its order    | as many as stay           | the operator, one by one                  |
 * | fewer: chosen ones are to be replaced   | wanted                    | the operator; Kubernetes makes others     |
 *
 * It depends on nothing but the cluster, so that it may be decided again at any time, by any operator.
 */
export function decideScale({ count, replicas: present = 0, pods }: ScaleInput): Scale {
  const active = pods.filter(({ terminating, over }) => !terminating && !over);
  const chosen = active.filter(({ condemned }) => condemned);
  // More pods than replicas are no reason for more replicas: somebody restarts the Deployment, or Kubernetes is at it.
  const replicas = Math.max(count, Math.min(present, active.length - chosen.length));
  const taken = active.toSorted(byRemoval).slice(0, Math.max(0, active.length - replicas));
  const rightly = taken.every(({ condemned }) => condemned);
  return { replicas, remove: rightly ? chosen.filter((pod) => !taken.includes(pod)) : chosen };
}

/** The order in which a ReplicaSet takes pods away, as far as it matters here. */
function byRemoval(a: WorkerPod, b: WorkerPod): number {
  return (
    Number(a.scheduled) - Number(b.scheduled) ||
    Number(b.pending) - Number(a.pending) ||
    Number(a.ready) - Number(b.ready) ||
    Number(b.condemned) - Number(a.condemned)
  );
}
