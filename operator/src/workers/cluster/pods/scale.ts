import type { WorkerPod } from './pod.ts';
import { hasStarted, isSuccessor } from './restart.ts';
import type { WorkerReplicaSet } from './replica-sets.ts';

export interface ScaleInput {
  /** Workers that have to run, those that were chosen to go not counted. */
  count: number;
  /** What the Deployment has now; undefined: there is none yet. */
  replicas: number | undefined;
  /** The pods of the revision. */
  pods: readonly WorkerPod[];
  /** What Kubernetes' own controller knows of them. */
  sets: readonly WorkerReplicaSet[];
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
 * | pods beyond what is wanted              | replicas                  | who takes away those that were chosen      |
 * |-----------------------------------------|---------------------------|--------------------------------------------|
 * | none was chosen                         | wanted, or as many as run | nobody: without being chosen none goes     |
 * | its controller has not seen all marks   | less those that it has    | Kubernetes, those; the others later        |
 * | as many as were chosen, first in order  | as many as stay           | Kubernetes, by readiness and deletion cost |
 * | others that have not started come first | as many as stay           | the operator, one by one                   |
 * | others that may have streams come first | as before                 | the operator, and the pool chooses again   |
 * | somebody restarts the Deployment        | as before                 | nobody until that is done, or none is left |
 * | fewer: chosen ones are to be replaced   | wanted                    | the operator; Kubernetes makes others      |
 *
 * It depends on nothing but the cluster, so that it may be decided again at any time, by any operator.
 */
export function decideScale({ count, replicas: present = 0, pods, sets }: ScaleInput): Scale {
  const there = pods.filter(({ terminating, ended }) => !terminating && !ended);
  // Successors in a restart may wait for room that only those before them can make: they hold up nobody.
  const active = there.filter((pod) => !isSuccessor(pod, there));
  const chosen = active.filter(({ selectedForRemoval }) => selectedForRemoval);
  // More pods than replicas are no reason for more replicas: somebody restarts the Deployment, or Kubernetes is at it.
  const replicas = Math.max(count, Math.min(present, active.length - chosen.length));
  const taken = active.toSorted(byRemoval).slice(0, Math.max(0, active.length - replicas));
  const rightly = taken.every(({ selectedForRemoval }) => selectedForRemoval);
  const remove = rightly ? chosen.filter((pod) => !taken.includes(pod)) : chosen;
  if (replicas >= present) return { replicas, remove };
  // Where nobody is to stay it does not matter whom Kubernetes takes first.
  if (count === 0 && there.every(({ selectedForRemoval }) => selectedForRemoval)) return { replicas, remove };
  const waiting = new Set(there.filter((pod) => !active.includes(pod)).map(({ set }) => set));
  const serving = sets.filter(({ hash }) => !waiting.has(hash));
  const seen = countSeen(active, present, serving);
  if (seen === undefined) return { replicas: present, remove: [] };
  const harmless = taken.every((pod) => pod.selectedForRemoval || !hasStarted(pod));
  if (!harmless) return { replicas: present, remove: chosen };
  // Those that it has not seen yet come next.
  return { replicas: Math.min(present, Math.max(replicas, active.length - seen)), remove };
}

/**
 * How many of the pods that were chosen the controller knows that takes pods away. It hears of pods and of replicas by
 * different ways, and nothing says which comes first: fewer replicas may reach it before the marks on those that were
 * chosen, and then it takes any. So replicas are lowered only by as many marks as its status shows to have reached it.
 * Undefined: its status tells nothing of now, since it counts other pods than we do, or is not done with what was asked
 * of it before.
 */
function countSeen(
  active: readonly WorkerPod[],
  present: number,
  sets: readonly WorkerReplicaSet[],
): number | undefined {
  const [set, ...others] = sets.filter(({ replicas, observedPods: counted }) => replicas > 0 || counted > 0);
  if (set === undefined) return active.length === 0 ? 0 : undefined;
  // Somebody restarts the Deployment: of which ReplicaSet pods are taken is not for us to say.
  if (others.length > 0) return undefined;
  const own = active.filter((pod) => pod.set === set.hash);
  if (!set.upToDate || set.replicas !== present || set.observedPods !== own.length) return undefined;
  const marked = own.filter(({ selectedForRemoval }) => selectedForRemoval).length;
  return set.hasPhaseLabel ? Math.min(set.observedSelected, marked) : marked;
}

/** The order in which a ReplicaSet takes pods away, as far as it matters here. */
function byRemoval(a: WorkerPod, b: WorkerPod): number {
  return (
    Number(a.scheduled) - Number(b.scheduled) ||
    Number(b.pending) - Number(a.pending) ||
    Number(a.ready) - Number(b.ready) ||
    Number(b.selectedForRemoval) - Number(a.selectedForRemoval)
  );
}
