import type { AsrModel, RolloutState } from '@svc-asr/core';
import { startAll } from '../../kubernetes/start-all.ts';
import type {
  DesiredWorkers,
  NodeNotice,
  RunningWorker,
  RuntimeListener,
  StartFailure,
  WorkerRuntime,
} from '../runtime.ts';
import type { Revision, RevisionTier, WorkerTemplate } from '../template.ts';
import { createNodeNotices } from './nodes/node-notices.ts';
import type { NodeNotices } from './nodes/node-notices.ts';
import type { Reflect } from './objects/object-cache.ts';
import { ClusterRuntime } from './runtime.ts';
import type { ClusterRuntimeOptions } from './runtime.ts';

/** Options that differ between namespaces. */
export type NamespaceOptions = Pick<
  ClusterRuntimeOptions,
  'api' | 'reflect' | 'events' | 'installation' | 'secretSources'
>;

export interface NamespacedRuntimeOptions extends Omit<ClusterRuntimeOptions, keyof NamespaceOptions | 'nodeNotices'> {
  /** The options of each namespace. The first entry belongs to the namespace of the installation. */
  namespaces: readonly NamespaceOptions[];
  /** Longest time that `open` waits for the further namespaces. */
  namespaceTimeoutMs: number;
  /** Keys of taints and annotations that announce the removal of a node. Undefined if nodes must not be read. */
  nodeNoticeKeys?: readonly string[] | undefined;
}

/**
 * Runs the workers of each model in the namespace of its ASRModel. If a model is deleted in one namespace and created
 * in another, its workers start in the new namespace and stop in the old namespace.
 */
export class NamespacedRuntime implements WorkerRuntime {
  readonly #options: NamespacedRuntimeOptions;
  readonly #runtimes: ReadonlyMap<string, ClusterRuntime>;
  /** Runtime of the namespace of the installation. */
  readonly #first: ClusterRuntime;
  readonly #nodeNotices: NodeNotices | undefined;
  /** Runtime of each model that was applied. */
  readonly #owners = new Map<string, ClusterRuntime>();

  constructor(options: NamespacedRuntimeOptions) {
    const { namespaces, nodeNoticeKeys: keys, nowMs } = options;
    this.#options = options;
    const [first] = namespaces;
    if (first === undefined) throw new Error('a runtime needs at least one namespace');
    this.#nodeNotices = keys && this.#createNodeNotices(first.reflect, keys, nowMs);
    this.#runtimes = new Map(namespaces.map((one) => [one.api.namespace, this.#createRuntime(one)]));
    this.#first = this.#runtimeOf(first.api.namespace);
  }

  async open(listener: RuntimeListener): Promise<void> {
    const starts = [...this.#runtimes.values()].map((runtime) => () => runtime.open(listener));
    await startAll(starts, this.#options.namespaceTimeoutMs);
    // A notice of a node says, for example, that the node is about to be removed. A notice applies only to pods that
    // were scheduled before the operator saw it, so all existing pods are listed before the nodes are followed.
    this.#nodeNotices?.start();
  }

  buildTemplate(model: AsrModel, guests?: readonly AsrModel[]): WorkerTemplate {
    return this.#runtimeOf(model.metadata.namespace).buildTemplate(model, guests);
  }

  models(): string[] {
    return [...new Set([...this.#runtimes.values()].flatMap((runtime) => runtime.models()))];
  }

  list(model: string): RunningWorker[] {
    const owner = this.#ownerOf(model);
    return [...this.#runtimes.values()].flatMap((runtime) => {
      const workers = runtime.list(model);
      return runtime === owner ? workers : workers.map((worker) => ({ ...worker, stopping: true }));
    });
  }

  apply(model: string, desired: DesiredWorkers): void {
    const namespace = desired.template?.namespace ?? desired.namespace;
    const isPlaced = desired.template !== undefined || namespace !== undefined;
    const owner = isPlaced ? this.#runtimeOf(namespace) : this.#ownerOf(model);
    this.#owners.set(model, owner);
    for (const runtime of this.#runtimes.values()) {
      if (runtime === owner) runtime.apply(model, desired);
      else if (runtime.has(model)) runtime.apply(model, stopAll(runtime.list(model)));
    }
  }

  /** Writes what differs between the desired state of a model and the cluster. Call again if it fails. */
  async converge(model: string): Promise<void> {
    const results = await Promise.allSettled([...this.#runtimes.values()].map((runtime) => runtime.converge(model)));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  confirm(id: string): void {
    for (const runtime of this.#runtimes.values()) runtime.confirm(id);
  }

  startFailure(of: RevisionTier): StartFailure | undefined {
    return this.#ownerOf(of.model).startFailure(of);
  }

  tiers(of: Revision): string[] {
    return this.#ownerOf(of.model).tiers(of);
  }

  failingNodes(model: string): string[] {
    return this.#ownerOf(model).failingNodes(model);
  }

  isListed({ namespace }: Pick<WorkerTemplate, 'namespace'>): boolean {
    return this.#runtimeOf(namespace).isListed();
  }

  mayMissWorkers({ model, namespace }: Pick<WorkerTemplate, 'model' | 'namespace'>): boolean {
    return (namespace === undefined ? this.#ownerOf(model) : this.#runtimeOf(namespace)).mayMissWorkers();
  }

  storedRollout(of: Pick<WorkerTemplate, 'model' | 'namespace'>): RolloutState | undefined {
    return this.#runtimeOf(of.namespace).storedRollout(of);
  }

  async close(): Promise<void> {
    this.#nodeNotices?.stop();
    await Promise.all([...this.#runtimes.values()].map((runtime) => runtime.close()));
  }

  #createRuntime(namespace: NamespaceOptions): ClusterRuntime {
    const { onRemoved } = this.#options;
    const runtime: ClusterRuntime = new ClusterRuntime({
      ...this.#options,
      ...namespace,
      nodeNotices: this.#nodeNotices,
      onRemoved: async (model) => {
        // The model may now exist in another namespace. `onRemoved` must then not delete the Redis user of the model,
        // because the workers in that namespace use this user.
        if (this.#ownerOf(model) !== runtime) return;
        await onRemoved?.(model);
        if (this.#owners.get(model) === runtime) this.#owners.delete(model);
      },
    });
    return runtime;
  }

  #createNodeNotices(reflect: Reflect, keys: readonly string[], nowMs: () => number): NodeNotices {
    const onChange = (node: string, notice: NodeNotice | undefined) => {
      for (const runtime of this.#runtimes.values()) runtime.noticeChanged(node, notice);
    };
    return createNodeNotices({ reflect, keys, onChange, nowMs });
  }

  #runtimeOf(namespace: string | undefined): ClusterRuntime {
    const found = namespace === undefined ? this.#first : this.#runtimes.get(namespace);
    if (found === undefined) throw new Error(`namespace ${namespace ?? ''} is not in MODEL_NAMESPACES`);
    return found;
  }

  /**
   * Returns the runtime of a model. If the model was not applied yet, it is the runtime that has objects of the model,
   * or else the runtime of the installation's namespace.
   */
  #ownerOf(model: string): ClusterRuntime {
    const known = this.#owners.get(model);
    if (known !== undefined || this.#runtimes.size === 1) return known ?? this.#first;
    return [...this.#runtimes.values()].find((runtime) => runtime.has(model)) ?? this.#first;
  }
}

/** Returns the desired state for workers in a namespace where their model does not exist any more. */
function stopAll(workers: readonly RunningWorker[]): DesiredWorkers {
  return {
    template: undefined,
    counts: new Map(),
    stop: workers.map(({ id }) => ({ id })),
    scale: undefined,
    rollout: undefined,
  };
}
