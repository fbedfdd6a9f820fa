import type { WorkerPod } from '../cluster/pods/pod.ts';
import { decideScale } from '../cluster/pods/scale.ts';
import type { WorkerReplicaSet } from '../cluster/pods/replica-sets.ts';

/** Who may do something next. */
export type Actor =
  | 'kubelet'
  | 'pool'
  | 'operator sees pods'
  | 'operator sees its ReplicaSet'
  | 'operator'
  | 'controller sees pods'
  | 'controller sees replicas'
  | 'controller';

/** A cluster in which everybody hears of everything in order, but each of each kind at a time of its own. */
export interface SimulatedCluster {
  /** Lets somebody do as much of what is theirs. */
  act: (who: Actor, amount: number) => void;
  /** The pods that there are. */
  pods: () => readonly WorkerPod[];
  /** Pods that had started and were taken by the controller though nobody had chosen them. */
  wronglyTaken: () => string[];
}

/** What was said of something, version by version, and how far each reader is. */
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
    /** Whether a reader is as far as this many versions. */
    hasRead: (reader: string, length: number) => (read.get(reader) ?? 0) >= length - 1,
    length: () => versions.length,
  };
}

/** Makes a world of a Deployment with so many pods, of which so many are wanted. */
export function createSimulatedCluster(options: { pods: number; wanted: number; honest: boolean }): SimulatedCluster {
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
  const wrong: string[] = [];
  let made = 0;
  /** It does nothing before it has seen what it did. */
  let expects = 0;
  let asked = options.pods;

  const change = (name: string, changes: Partial<WorkerPod>) =>
    pods.push(pods.last().map((pod) => (pod.name === name ? { ...pod, ...changes } : pod)));
  const drop = (name: string) => pods.push(pods.last().filter((pod) => pod.name !== name));

  function manage(): void {
    const seen = pods.at('controller');
    const wanted = replicas.at('controller');
    if (pods.hasRead('controller', expects)) {
      for (const { name } of seen.toSorted(asReplicaSet).slice(0, Math.max(0, seen.length - wanted))) {
        const pod = pods.last().find((one) => one.name === name);
        if (pod !== undefined && !pod.selectedForRemoval && pod.ready) wrong.push(name);
        drop(name);
        expects = pods.length();
      }
      for (let missing = wanted - seen.length; missing > 0; missing--) {
        pods.push([...pods.last(), { ...startedPod(`new${made++}`), scheduled: false, pending: true, ready: false }]);
        expects = pods.length();
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
    // As the pool does: those that are too many are chosen, one by one.
    pool: (amount) => {
      const staying = pods.at('operator').filter(({ selectedForRemoval }) => !selectedForRemoval);
      for (const { name } of staying.slice(0, Math.min(amount, Math.max(0, staying.length - count)))) {
        change(name, { selectedForRemoval: true, ...(options.honest && { ready: false }) });
      }
    },
    'operator sees pods': (amount) => void pods.advance('operator', amount),
    'operator sees its ReplicaSet': (amount) => void status.advance('operator', amount),
    operator: () => {
      // It knows what it wrote itself.
      const marked = new Set(pods.last().flatMap(({ name, selectedForRemoval }) => (selectedForRemoval ? [name] : [])));
      const seen = pods
        .at('operator')
        .map((pod) => ({ ...pod, selectedForRemoval: pod.selectedForRemoval || marked.has(pod.name) }));
      const decision = decideScale({ count, replicas: asked, pods: seen, sets: [status.at('operator')] });
      if (decision.replicas !== asked) replicas.push((asked = decision.replicas));
      for (const { name } of decision.remove) drop(name);
    },
    'controller sees pods': (amount) => void pods.advance('controller', amount),
    'controller sees replicas': (amount) => void replicas.advance('controller', amount),
    controller: manage,
  };
  return { act: (who, amount) => actors[who](amount), pods: pods.last, wronglyTaken: () => wrong };
}

function startedPod(name: string): WorkerPod {
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
    pending: false,
    running: true,
    ready: true,
    restarts: 0,
    unschedulable: undefined,
    mounted: true,
    containerProblem: undefined,
  };
}

/** The order of a ReplicaSet: what is not placed, then not started, then not ready, then by cost, then any. */
function asReplicaSet(a: WorkerPod, b: WorkerPod): number {
  return (
    Number(a.scheduled) - Number(b.scheduled) ||
    Number(b.pending) - Number(a.pending) ||
    Number(a.ready) - Number(b.ready) ||
    Number(b.selectedForRemoval) - Number(a.selectedForRemoval) ||
    (a.name < b.name ? 1 : -1)
  );
}
