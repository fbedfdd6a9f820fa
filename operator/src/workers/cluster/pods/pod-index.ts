import type { KubeObject } from '@svc-asr/kubernetes';
import type { EndedWorker } from '../../runtime.ts';
import { readPod } from './pod.ts';
import type { WorkerPod } from './pod.ts';
import type { ObservedPod } from './start-failure.ts';

interface Entry {
  pod: WorkerPod;
  runningSinceMs: number | undefined;
  scheduledSinceMs: number | undefined;
  unschedulableSinceMs: number | undefined;
  unmountedSinceMs: number | undefined;
  /** Number of restarts when the pod was last ready. */
  restartsWhenReady: number;
  terminatingSinceMs: number | undefined;
  /** True after the pod was reported as overdue. The operator does not wait for it any more. */
  abandoned: boolean;
}

export interface PodIndexOptions {
  nowMs: () => number;
  /** Time beyond its grace period after which a deleted pod is overdue. */
  overdueMs: number;
  /** Called when a worker has ended because its pod ended or was deleted, or its process was restarted. */
  onEnded: (worker: EndedWorker) => void;
  /** Called when a deleted pod is overdue. It counts as ended from then on. */
  onOverdue: (pod: WorkerPod) => void;
}

/**
 * The worker pods of all models in a namespace, with their history. A deleted pod that is long overdue, for example on
 * a dead node, is left out, so that no decision waits for it.
 */
export class PodIndex {
  readonly #options: PodIndexOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #namesByModel = new Map<string, Set<string>>();

  constructor(options: PodIndexOptions) {
    this.#options = options;
  }

  /** Updates the pod of this name. `object` is undefined if the pod was deleted. */
  update(name: string, object: KubeObject | undefined): void {
    const pod = object && readPod(object);
    if (pod === undefined) this.#drop(name, 'was deleted');
    else if (pod.ended) this.#drop(name, 'ended');
    else this.#add(pod);
  }

  models(): string[] {
    return [...this.#namesByModel].flatMap(([model, names]) =>
      [...names].some((name) => this.#findPresent(name) !== undefined) ? [model] : [],
    );
  }

  get(name: string): WorkerPod | undefined {
    return this.#entries.get(name)?.pod;
  }

  /** Returns the pods of a model, of one of its revisions, or of a tier of that revision. */
  of(model: string, revision?: string, tier?: string): ObservedPod[] {
    const nowMs = this.#options.nowMs();
    return [...(this.#namesByModel.get(model) ?? [])].flatMap((name) => {
      const entry = this.#findPresent(name);
      if (entry === undefined || (revision !== undefined && entry.pod.revision !== revision)) return [];
      if (tier !== undefined && entry.pod.tier !== tier) return [];
      return [describeEntry(entry, nowMs)];
    });
  }

  /** Returns how long the current process of a pod has been running. */
  ageMs(name: string): number {
    return elapsedMs(this.#entries.get(name)?.runningSinceMs, this.#options.nowMs());
  }

  /** Returns the time at which a pod was first observed on its node. Infinity if it is not scheduled. */
  scheduledAtMs(name: string): number {
    return this.#entries.get(name)?.scheduledSinceMs ?? Infinity;
  }

  /** Returns the models that have pods on a node. */
  modelsOn(node: string): string[] {
    const pods = [...this.#entries.values()].filter(({ pod }) => pod.node === node);
    return [...new Set(pods.map(({ pod }) => pod.model))];
  }

  #add(pod: WorkerPod): void {
    const before = this.#entries.get(pod.name);
    this.#entries.set(pod.name, nextEntry(before, pod, this.#options.nowMs()));
    const names = this.#namesByModel.get(pod.model) ?? new Set();
    this.#namesByModel.set(pod.model, names.add(pod.name));
    if (before !== undefined && pod.restarts > before.pod.restarts)
      this.#report(pod, 'crashed and is restarted', false);
  }

  #drop(name: string, how: string): void {
    const { pod } = this.#entries.get(name) ?? {};
    if (pod === undefined) return;
    this.#entries.delete(name);
    const names = this.#namesByModel.get(pod.model);
    names?.delete(name);
    if (names?.size === 0) this.#namesByModel.delete(pod.model);
    this.#report(pod, how, pod.selectedForRemoval || pod.terminating);
  }

  #report({ name, model }: WorkerPod, how: string, requested: boolean): void {
    this.#options.onEnded({ id: name, model, how, requested });
  }

  /** Returns the entry of a pod. Undefined if the pod is overdue, which is reported once. */
  #findPresent(name: string): Entry | undefined {
    const { nowMs, overdueMs, onOverdue } = this.#options;
    const entry = this.#entries.get(name);
    if (entry === undefined || !isOverdue(entry, nowMs(), overdueMs)) return entry;
    const { pod, abandoned } = entry;
    entry.abandoned = true;
    if (!abandoned) onOverdue(pod);
    return undefined;
  }
}

/**
 * Returns the entry of a pod after an update. The start of each state is the time at which the state was first
 * observed.
 */
function nextEntry(before: Entry | undefined, pod: WorkerPod, nowMs: number): Entry {
  const restarted = before !== undefined && pod.restarts !== before.pod.restarts;
  const since = (holds: boolean, sinceMs: number | undefined) => (holds ? (sinceMs ?? nowMs) : undefined);
  return {
    pod,
    runningSinceMs: since(pod.running, restarted ? undefined : before?.runningSinceMs),
    scheduledSinceMs: since(pod.node !== '', before?.scheduledSinceMs),
    unschedulableSinceMs: since(pod.unschedulable !== undefined, before?.unschedulableSinceMs),
    unmountedSinceMs: since(!pod.mounted && pod.scheduled, before?.unmountedSinceMs),
    restartsWhenReady: pod.ready ? pod.restarts : (before?.restartsWhenReady ?? 0),
    terminatingSinceMs: since(pod.terminating, before?.terminatingSinceMs),
    abandoned: before?.abandoned ?? false,
  };
}

/**
 * Returns whether a deleted pod should have ended by now. The grace period counts from the time at which this operator
 * observed the deletion, because the clock of the API server may differ.
 */
function isOverdue({ pod, terminatingSinceMs }: Entry, nowMs: number, overdueMs: number): boolean {
  return terminatingSinceMs !== undefined && nowMs - terminatingSinceMs >= pod.graceMs + overdueMs;
}

function describeEntry(
  { pod, unschedulableSinceMs, unmountedSinceMs, restartsWhenReady }: Entry,
  nowMs: number,
): ObservedPod {
  return {
    ...pod,
    unschedulableMs: elapsedMs(unschedulableSinceMs, nowMs),
    unmountedMs: elapsedMs(unmountedSinceMs, nowMs),
    crashes: pod.restarts - restartsWhenReady,
  };
}

function elapsedMs(sinceMs: number | undefined, nowMs: number): number {
  return sinceMs === undefined ? 0 : nowMs - sinceMs;
}
