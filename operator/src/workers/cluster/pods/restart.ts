import type { WorkerPod } from './pod.ts';

/** Who has not started has never had a stream. */
export function hasStarted({ scheduled, pending }: Pick<WorkerPod, 'scheduled' | 'pending'>): boolean {
  return scheduled && !pending;
}

/** Whether somebody restarts the Deployment of a pod: then Kubernetes replaces its pods, and has more of them meanwhile. */
export function isBeingRestarted({ revision, set }: WorkerPod, pods: readonly WorkerPod[]): boolean {
  // One that has not started replaces nobody yet, and may never: there is no room for it, or no image.
  return pods.some(
    (other) => other.revision === revision && other.set !== set && !other.terminating && hasStarted(other),
  );
}

/** Whether a pod is to take the place of another in a restart and has not started: until then it changes nothing. */
export function isSuccessor(pod: WorkerPod, pods: readonly WorkerPod[]): boolean {
  return !hasStarted(pod) && isBeingRestarted(pod, pods);
}
