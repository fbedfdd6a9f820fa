import type { WorkerPod } from './pod.ts';

/** Reports whether the containers of a pod were started. A pod that has not started never had a stream. */
export function hasStarted({ scheduled, pending }: Pick<WorkerPod, 'scheduled' | 'pending'>): boolean {
  return scheduled && !pending;
}

/**
 * Reports whether the Deployment of a pod is being restarted, for example with "kubectl rollout restart". Kubernetes
 * then replaces the pods of the Deployment, and meanwhile runs more pods than `replicas`. A replacement that has not
 * started does not count, because it may never start. It may lack a node or an image.
 */
export function isBeingRestarted({ revision, tier, set }: WorkerPod, pods: readonly WorkerPod[]): boolean {
  return pods.some(
    (other) =>
      other.revision === revision &&
      other.tier === tier &&
      other.set !== set &&
      !other.terminating &&
      hasStarted(other),
  );
}

/** Reports whether a pod is a replacement in a restart and has not started yet. Such a pod does not affect scaling. */
export function isSuccessor(pod: WorkerPod, pods: readonly WorkerPod[]): boolean {
  return !hasStarted(pod) && isBeingRestarted(pod, pods);
}
