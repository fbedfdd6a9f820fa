import type { KubeObject } from '@svc-asr/kubernetes';
import type { EndedWorker } from '../../runtime.ts';
import { readPod } from './pod.ts';
import type { WorkerPod } from './pod.ts';
import type { ObservedPod } from './start-failure.ts';

/**
 * The worker pods of all models, with their history. A deleted pod that is long overdue, for example on a dead node, is
 * left out, so that no decision waits for it.
 */
export interface PodIndex {
  /** Updates the pod of this name. Undefined if it was deleted. */
  update: (name: string, object: KubeObject | undefined) => void;
  models: () => string[];
  get: (name: string) => WorkerPod | undefined;
  of: (model: string, revision?: string) => ObservedPod[];
  /** Returns how long the current process of a pod has been running. */
  ageMs: (name: string) => number;
}

interface Entry {
  pod: WorkerPod;
  runningSinceMs: number | undefined;
  unschedulableSinceMs: number | undefined;
  unmountedSinceMs: number | undefined;
  /** Number of restarts when the pod was last ready. */
  restartsWhenReady: number;
  terminatingSinceMs: number | undefined;
  /** True once the pod was reported as overdue. */
  abandoned: boolean;
}

export interface PodIndexOptions {
  nowMs: () => number;
  /** Longest time that a deleted pod may stay beyond its grace period. */
  overdueMs: number;
  /** Called when a worker has ended: its pod ended or was deleted, or its process was restarted. */
  onEnded: (worker: EndedWorker) => void;
  /** Called when a deleted pod is overdue. It counts as ended from then on. */
  onOverdue: (pod: WorkerPod) => void;
}

/** Creates an empty index. */
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
      restartsWhenReady: pod.ready ? pod.restarts : (before?.restartsWhenReady ?? 0),
      terminatingSinceMs: since(pod.terminating, before?.terminatingSinceMs),
      abandoned: before?.abandoned ?? false,
    });
    const names = byModel.get(pod.model) ?? new Set();
    byModel.set(pod.model, names.add(pod.name));
    if (before !== undefined && pod.restarts > before.pod.restarts) report(pod, 'crashed and is restarted', false);
  }

  function drop(name: string, how: string): void {
    const { pod } = entries.get(name) ?? {};
    if (pod === undefined) return;
    entries.delete(name);
    const names = byModel.get(pod.model);
    names?.delete(name);
    if (names?.size === 0) byModel.delete(pod.model);
    report(pod, how, pod.selectedForRemoval || pod.terminating);
  }

  function report({ name, model }: WorkerPod, how: string, requested: boolean): void {
    onEnded({ id: name, model, how, requested });
  }

  /** Uses the time at which this operator saw the deletion: the clock of the API server may differ. */
  function isPresent(entry: Entry | undefined): entry is Entry {
    if (entry === undefined) return false;
    const { pod, terminatingSinceMs, abandoned } = entry;
    if (terminatingSinceMs === undefined || nowMs() - terminatingSinceMs < pod.graceMs + overdueMs) return true;
    entry.abandoned = true;
    if (!abandoned) onOverdue(pod);
    return false;
  }

  function describe({ pod, unschedulableSinceMs, unmountedSinceMs, restartsWhenReady }: Entry): ObservedPod {
    const elapsed = (sinceMs: number | undefined) => (sinceMs === undefined ? 0 : nowMs() - sinceMs);
    return {
      ...pod,
      unschedulableMs: elapsed(unschedulableSinceMs),
      unmountedMs: elapsed(unmountedSinceMs),
      crashes: pod.restarts - restartsWhenReady,
    };
  }

  return {
    update: (name, object) => {
      const pod = object && readPod(object);
      if (pod === undefined) drop(name, 'was deleted');
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
