import type { WorkerPod } from '../cluster/pods/pod.ts';
import { decideScale } from '../cluster/pods/scale.ts';
import type { WorkerReplicaSet } from '../cluster/pods/replica-sets.ts';

/** An actor that can take the next step of the simulation. */
export type Actor =
  | 'kubelet'
  | 'pool'
  | 'operator sees pods'
  | 'operator sees its ReplicaSet'
  | 'operator'
  | 'controller sees pods'
  | 'controller sees replicas'
  | 'controller';

/** A cluster in which each actor observes the changes of each kind in order, but with its own delay. */
export interface SimulatedCluster {
  /** Lets an actor take a step. `amount` is the number of changes that it observes or pods that it selects. */
  act: (actor: Actor, amount: number) => void;
  /** Returns the pods that exist. */
  pods: () => readonly WorkerPod[];
  /** Returns ready pods that the controller removed although they were not selected. */
  wronglyRemoved: () => string[];
}

/** Creates a list of the versions of an object, and records how many of them each reader has read. */
function createFeed<T>(first: T) {
  const versions = [first];
  const read = new Map<string, number>();
  const at = (reader: string) => versions[read.get(reader) ?? 0] as T;
  return {
    push: (value: T) => void versions.push(value),
    last: () => versions.at(-1) as T,
    at,
    advance: (reader: string, steps: number) => {
      read.set(reader, Math.min(versions.length - 1, (read.get(reader) ?? 0) + steps));
      return at(reader);
    },
    /** Reports whether a reader has read this many versions. */
    hasRead: (reader: string, length: number) => (read.get(reader) ?? 0) >= length - 1,
    length: () => versions.length,
  };
}

/**
 * Creates a cluster with one Deployment that has `pods` pods. `wanted` is the number of pods that should stay.
 * `unreadyWhenSelected` makes selected pods unready, as draining workers are.
 */
export function createSimulatedCluster(options: {
  pods: number;
  wanted: number;
  unreadyWhenSelected: boolean;
}): SimulatedCluster {
  const count = Math.min(options.pods, options.wanted);
  const pods = createFeed<readonly WorkerPod[]>(Array.from({ length: options.pods }, (_, at) => startedPod(`p${at}`)));
  const replicas = createFeed(options.pods);
  const status = createFeed<WorkerReplicaSet>({
    hash: 's',
    replicas: options.pods,
    observedPods: options.pods,
    observedSelected: 0,
    upToDate: true,
    hasPhaseLabel: true,
  });
  const wronglyRemoved: string[] = [];
  let created = 0;
  /**
   * Number of versions of the list of pods that the controller must have read before it acts again. The last of them
   * contains its own changes.
   */
  let expected = 0;
  /** Replicas that the operator set last. */
  let requested = options.pods;

  const change = (name: string, changes: Partial<WorkerPod>) =>
    pods.push(pods.last().map((pod) => (pod.name === name ? { ...pod, ...changes } : pod)));
  const drop = (name: string) => pods.push(pods.last().filter((pod) => pod.name !== name));

  function runController(): void {
    const seen = pods.at('controller');
    const wanted = replicas.at('controller');
    if (pods.hasRead('controller', expected)) {
      for (const { name } of seen.toSorted(byRemovalOrder).slice(0, Math.max(0, seen.length - wanted))) {
        const pod = pods.last().find((one) => one.name === name);
        if (pod !== undefined && !pod.selectedForRemoval && pod.ready) wronglyRemoved.push(name);
        drop(name);
        expected = pods.length();
      }
      for (let missing = wanted - seen.length; missing > 0; missing--) {
        pods.push([
          ...pods.last(),
          { ...startedPod(`new${created++}`), scheduled: false, pending: true, ready: false },
        ]);
        expected = pods.length();
      }
    }
    const chosen = seen.filter(({ selectedForRemoval }) => selectedForRemoval).length;
    const current = wanted === replicas.last();
    status.push({
      ...status.last(),
      replicas: replicas.last(),
      upToDate: current,
      observedPods: seen.length,
      observedSelected: chosen,
    });
  }

  const actors: Record<Actor, (amount: number) => void> = {
    kubelet: () => {
      for (const { name } of pods.last().filter(({ pending }) => pending)) {
        change(name, { scheduled: true, pending: false, ready: true });
      }
    },
    // The pool selects excess pods one by one.
    pool: (amount) => {
      const staying = pods.at('operator').filter(({ selectedForRemoval }) => !selectedForRemoval);
      for (const { name } of staying.slice(0, Math.min(amount, Math.max(0, staying.length - count)))) {
        change(name, { selectedForRemoval: true, ...(options.unreadyWhenSelected && { ready: false }) });
      }
    },
    'operator sees pods': (amount) => void pods.advance('operator', amount),
    'operator sees its ReplicaSet': (amount) => void status.advance('operator', amount),
    operator: () => {
      // The operator already knows which pods it has marked, even before it observes the marks.
      const marked = new Set(pods.last().flatMap(({ name, selectedForRemoval }) => (selectedForRemoval ? [name] : [])));
      const seen = pods
        .at('operator')
        .map((pod) => ({ ...pod, selectedForRemoval: pod.selectedForRemoval || marked.has(pod.name) }));
      const decision = decideScale({ count, replicas: requested, pods: seen, sets: [status.at('operator')] });
      if (decision.replicas !== requested) replicas.push((requested = decision.replicas));
      for (const { name } of decision.remove) drop(name);
    },
    'controller sees pods': (amount) => void pods.advance('controller', amount),
    'controller sees replicas': (amount) => void replicas.advance('controller', amount),
    controller: runController,
  };
  return { act: (actor, amount) => actors[actor](amount), pods: pods.last, wronglyRemoved: () => wronglyRemoved };
}

/** Builds a pod that is running and ready. */
export function startedPod(name: string, changes: Partial<WorkerPod> = {}): WorkerPod {
  return {
    name,
    uid: name,
    model: 'm',
    revision: 'r',
    set: 's',
    terminating: false,
    ended: false,
    selectedForRemoval: false,
    labelled: false,
    graceMs: 30_000,
    scheduled: true,
    node: 'n',
    pending: false,
    running: true,
    ready: true,
    restarts: 0,
    sick: false,
    unschedulable: undefined,
    mounted: true,
    containerProblem: undefined,
    ...changes,
  };
}

/**
 * Compares pods by the removal order of a ReplicaSet: unscheduled, pending, unready, then by deletion cost, then
 * arbitrary.
 */
function byRemovalOrder(a: WorkerPod, b: WorkerPod): number {
  return (
    Number(a.scheduled) - Number(b.scheduled) ||
    Number(b.pending) - Number(a.pending) ||
    Number(a.ready) - Number(b.ready) ||
    Number(b.selectedForRemoval) - Number(a.selectedForRemoval) ||
    (a.name < b.name ? 1 : -1)
  );
}
