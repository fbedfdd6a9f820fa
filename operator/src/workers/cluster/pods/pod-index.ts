import type { KubeObject } from '@svc-asr/kubernetes';
import type { EndedWorker } from '../../runtime.ts';
import { readPod } from './pod.ts';
import type { WorkerPod } from './pod.ts';
import type { ObservedPod } from './start-failure.ts';

/** The pods of all models, each with what was seen of it. */
export interface PodIndex {
  /** Takes note that the pod of this name may be another, or gone. */
  update: (name: string, object: KubeObject | undefined) => void;
  models: () => string[];
  get: (name: string) => WorkerPod | undefined;
  of: (model: string, revision?: string) => ObservedPod[];
  /** How long its process has been running. */
  ageMs: (name: string) => number;
}

interface Entry {
  pod: WorkerPod;
  runningSinceMs: number | undefined;
  unschedulableSinceMs: number | undefined;
  unmountedSinceMs: number | undefined;
  /** Starts of its process until it last was ready. */
  wellRestarts: number;
  terminatingSinceMs: number | undefined;
  /** It was told that nobody waits for it any more. */
  abandoned: boolean;
}

export interface PodIndexOptions {
  nowMs: () => number;
  /** How long a deleted pod may stay beyond its grace period. */
  overdueMs: number;
  /** A worker ended, be it that its pod is gone or its process was started anew. */
  onEnded: (worker: EndedWorker) => void;
  /** A deleted pod does not go: from now on it counts as gone. */
  onOverdue: (pod: WorkerPod) => void;
}

/** Makes the index. A pod that should have ended long ago, as on a node that died, is not in it: nothing waits for it. */
export function createPodIndex({ nowMs, overdueMs, onEnded, onOverdue }: PodIndexOptions): PodIndex {
  const entries = new Map<string, Entry>();
  const byModel = new Map<string, Set<string>>();

  function add(pod: WorkerPod): void {
    const before = entries.get(pod.name);
    const restarted = before !== undefined && pod.restarts !== before.pod.restarts;
    const since = (holds: boolean, at: number | undefined) => (holds ? (at ?? nowMs()) : undefined);
    entries.set(pod.name, {
      pod,
      runningSinceMs: since(pod.running, restarted ? undefined : before?.runningSinceMs),
      unschedulableSinceMs: since(pod.unschedulable !== undefined, before?.unschedulableSinceMs),
      unmountedSinceMs: since(!pod.mounted && pod.scheduled, before?.unmountedSinceMs),
      wellRestarts: pod.ready ? pod.restarts : (before?.wellRestarts ?? 0),
      terminatingSinceMs: since(pod.terminating, before?.terminatingSinceMs),
      abandoned: before?.abandoned ?? false,
    });
    const names = byModel.get(pod.model) ?? new Set();
    byModel.set(pod.model, names.add(pod.name));
    if (before !== undefined && pod.restarts > before.pod.restarts) tell(pod, 'fell and is started anew', false);
  }

  function drop(name: string, how: string): void {
    const { pod } = entries.get(name) ?? {};
    if (pod === undefined) return;
    entries.delete(name);
    const names = byModel.get(pod.model);
    names?.delete(name);
    if (names?.size === 0) byModel.delete(pod.model);
    tell(pod, how, pod.selectedForRemoval || pod.terminating);
  }

  function tell({ name, model }: WorkerPod, how: string, asked: boolean): void {
    onEnded({ id: name, model, how, asked });
  }

  /** By what this operator saw itself: the clock of the API server may be another. */
  function isPresent(entry: Entry | undefined): entry is Entry {
    if (entry === undefined) return false;
    const { pod, terminatingSinceMs, abandoned } = entry;
    if (terminatingSinceMs === undefined || nowMs() - terminatingSinceMs < pod.graceMs + overdueMs) return true;
    entry.abandoned = true;
    if (!abandoned) onOverdue(pod);
    return false;
  }

  function describe({ pod, unschedulableSinceMs, unmountedSinceMs, wellRestarts }: Entry): ObservedPod {
    const lasts = (sinceMs: number | undefined) => (sinceMs === undefined ? 0 : nowMs() - sinceMs);
    return {
      ...pod,
      unschedulableMs: lasts(unschedulableSinceMs),
      unmountedMs: lasts(unmountedSinceMs),
      crashes: pod.restarts - wellRestarts,
    };
  }

  return {
    update: (name, object) => {
      const pod = object && readPod(object);
      if (pod === undefined) drop(name, 'is gone');
      else if (pod.ended) drop(name, 'ended');
      else add(pod);
    },
    models: () =>
      [...byModel].flatMap(([model, names]) =>
        [...names].some((name) => isPresent(entries.get(name))) ? [model] : [],
      ),
    get: (name) => entries.get(name)?.pod,
    of: (model, revision) =>
      [...(byModel.get(model) ?? [])].flatMap((name) => {
        const entry = entries.get(name);
        return !isPresent(entry) || (revision !== undefined && entry.pod.revision !== revision)
          ? []
          : [describe(entry)];
      }),
    ageMs: (name) => {
      const since = entries.get(name)?.runningSinceMs;
      return since === undefined ? 0 : nowMs() - since;
    },
  };
}
