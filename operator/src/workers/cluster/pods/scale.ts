import type { WorkerPod } from './pod.ts';
import type { WorkerReplicaSet } from './replica-sets.ts';
import { hasStarted, isSuccessor } from './restart.ts';

export interface ScaleInput {
  /** Number of workers that have to run, not counting those that were selected for removal. */
  count: number;
  /** Current replicas of the Deployment. Undefined if there is none yet. */
  replicas: number | undefined;
  /** The pods of the Deployment. */
  pods: readonly WorkerPod[];
  /** The ReplicaSets of the Deployment, and what their controller knows about the pods. */
  sets: readonly WorkerReplicaSet[];
}

export interface Scale {
  /** New replicas of the Deployment. */
  replicas: number;
  /** Pods that the operator has to delete itself. Kubernetes would keep them, or would remove other pods. */
  remove: WorkerPod[];
}

/**
 * Decides how the pods that were selected for removal are removed. The other pods stay. "The controller" is the
 * ReplicaSet controller of Kubernetes.
 *
 * | situation                                       | replicas                | who removes the selected pods        |
 * |-------------------------------------------------|-------------------------|--------------------------------------|
 * | more pods run than wanted, none is selected yet | as many as run          | no one yet                           |
 * | the controller has not seen all selections      | lowered by those it saw | Kubernetes, but not yet all of them  |
 * | Kubernetes would remove the selected pods first | as many as stay         | Kubernetes                           |
 * | Kubernetes would first remove unstarted pods    | as many as stay         | the operator deletes them by name    |
 * | Kubernetes would first remove pods with streams | unchanged               | the operator (see below)             |
 * | a restart: two ReplicaSets have started pods    | unchanged               | no one, or Kubernetes if none stays  |
 * | no more run than wanted, but some are selected  | wanted                  | the operator; Kubernetes adds others |
 *
 * If the number of replicas is unchanged, Kubernetes replaces the pods that the operator deletes. The pool then selects
 * pods for removal again. The decision depends on the cluster alone. Any operator can make it again at any time.
 */
export function decideScale({ count, replicas: present = 0, pods, sets }: ScaleInput): Scale {
  const live = pods.filter(({ terminating, ended }) => !terminating && !ended);
  // Replacement pods of a restart may wait for room that only the removal of other pods provides. They must not delay
  // the removal.
  const active = live.filter((pod) => !isSuccessor(pod, live));
  const selected = active.filter(({ selectedForRemoval }) => selectedForRemoval);
  // If more pods run than the Deployment has replicas (`present`), the number of replicas is not raised. The Deployment
  // is then being restarted, or is already shrinking.
  const replicas = Math.max(count, Math.min(present, active.length - selected.length));
  const firstInOrder = active.toSorted(byRemovalOrder).slice(0, Math.max(0, active.length - replicas));
  const onlySelected = firstInOrder.every(({ selectedForRemoval }) => selectedForRemoval);
  const remove = onlySelected ? selected.filter((pod) => !firstInOrder.includes(pod)) : selected;
  if (replicas >= present) return { replicas, remove };
  // If no pod is to stay, the order in which Kubernetes removes the pods does not matter.
  if (count === 0 && live.every(({ selectedForRemoval }) => selectedForRemoval)) return { replicas, remove };
  const successorSets = new Set(live.filter((pod) => !active.includes(pod)).map(({ set }) => set));
  const servingSets = sets.filter(({ hash }) => !successorSets.has(hash));
  const seenSelections = countSeenSelections(active, present, servingSets);
  if (seenSelections === undefined) return { replicas: present, remove: [] };
  const isHarmless = firstInOrder.every((pod) => pod.selectedForRemoval || !hasStarted(pod));
  if (!isHarmless) return { replicas: present, remove: selected };
  // Selected pods that the controller has not seen as selected are removed after a later call.
  return { replicas: Math.min(present, Math.max(replicas, active.length - seenSelections)), remove };
}

/**
 * Returns how many of the selected pods the ReplicaSet controller knows to be selected. The controller learns of pods
 * and of replicas independently. A lower number of replicas may reach it before the selections, and it would then
 * remove pods that are not selected. Replicas are therefore lowered only by the number of selections that the status of
 * the ReplicaSet shows.
 *
 * Undefined if this status is out of date. It then counts other pods than the operator, or the controller has not
 * handled the last change. Also undefined if several ReplicaSets have pods.
 */
function countSeenSelections(
  active: readonly WorkerPod[],
  present: number,
  sets: readonly WorkerReplicaSet[],
): number | undefined {
  const [set, ...others] = sets.filter(({ replicas, observedPods }) => replicas > 0 || observedPods > 0);
  if (set === undefined) return active.length === 0 ? 0 : undefined;
  // During "kubectl rollout restart", several ReplicaSets have pods. The Deployment controller then decides which of
  // them shrinks.
  if (others.length > 0) return undefined;
  const own = active.filter((pod) => pod.set === set.hash);
  if (!set.upToDate || set.replicas !== present || set.observedPods !== own.length) return undefined;
  const selections = own.filter(({ selectedForRemoval }) => selectedForRemoval).length;
  return set.hasPhaseLabel ? Math.min(set.observedSelected, selections) : selections;
}

/**
 * Compares pods by the order in which a ReplicaSet removes them. The last criteria of Kubernetes are left out, because
 * they matter only between two pods that are both selected or both not selected.
 */
function byRemovalOrder(a: WorkerPod, b: WorkerPod): number {
  return (
    Number(a.scheduled) - Number(b.scheduled) ||
    Number(b.pending) - Number(a.pending) ||
    Number(a.ready) - Number(b.ready) ||
    Number(b.selectedForRemoval) - Number(a.selectedForRemoval)
  );
}
