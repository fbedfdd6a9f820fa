import { describeProblems, KINDS } from '@svc-asr/core';
import type { Kind, Problem, Resource, ResourceOf } from '@svc-asr/core';
import type { Logger } from '@svc-asr/runtime';
import type { Cluster } from '../../kubernetes/cluster.ts';
import type { Reflector } from '../../kubernetes/reflector.ts';
import { TYPES } from '@svc-asr/kubernetes';
import type { KubeObject } from '@svc-asr/kubernetes';
import type { Notices } from '../../notices.ts';
import { keyOf, partsOf } from '../source.ts';
import type { ResourceKey, ResourceSource, SourceListener } from '../source.ts';
import { isHeld, setHeld } from './finalizer.ts';
import { isSameState, judge } from './state.ts';
import type { ObjectState } from './state.ts';

export interface KubernetesSourceOptions {
  cluster: Pick<Cluster, 'api' | 'reflect'>;
  notices: Notices;
  logger: Logger;
}

/**
 * Provides resources from the Kubernetes API by watching the three kinds. An invalid object changes nothing, and its
 * status reports the problems.
 */
export class KubernetesSource implements ResourceSource {
  readonly #options: KubernetesSourceOptions;
  readonly #reflectors: ReadonlyMap<Kind, Reflector>;
  readonly #states = new Map<ResourceKey, ObjectState>();
  #listener: SourceListener | undefined;
  #settled = false;

  constructor(options: KubernetesSourceOptions) {
    const { cluster } = options;
    this.#options = options;
    this.#reflectors = new Map(
      KINDS.map((kind) => [kind, cluster.reflect(TYPES[kind], { onChange: (name) => this.#observe(kind, name) })]),
    );
  }

  /** Starts to watch without a listener, so that a standby knows everything when it becomes the leader. */
  warm(): void {
    for (const reflector of this.#reflectors.values()) void reflector.start().then(() => this.#settle());
  }

  async start(listener: SourceListener): Promise<void> {
    await Promise.all([...this.#reflectors.values()].map((reflector) => reflector.start()));
    this.#listener = listener;
    this.#settle();
  }

  stop(): Promise<void> {
    this.#listener = undefined;
    for (const reflector of this.#reflectors.values()) reflector.stop();
    return Promise.resolve();
  }

  get<K extends Kind>(kind: K, name: string): ResourceOf<K> | undefined {
    return this.#states.get(keyOf(kind, name))?.good as ResourceOf<K> | undefined;
  }

  list(): Resource[] {
    return [...this.#states.values()].flatMap(({ good }) => (good === undefined ? [] : [good]));
  }

  keys(): ResourceKey[] {
    return [...this.#states.keys()];
  }

  problems(kind: Kind, name: string): readonly Problem[] | undefined {
    return this.#states.get(keyOf(kind, name))?.problems;
  }

  invalidCount(): number {
    return [...this.#states.values()].filter(({ problems }) => problems !== undefined).length;
  }

  unsettled(): string | undefined {
    if (this.#settled) return undefined;
    if (!this.synced()) return 'not everything has been listed yet';
    const unknown = this.#findUnknown();
    return unknown === undefined ? undefined : `${unknown} is invalid, and its last valid version is unknown`;
  }

  async isNewest({ kind, metadata: { name, uid, generation } }: Resource): Promise<boolean> {
    const { metadata } = (await this.#options.cluster.api.get(TYPES[kind], name)) ?? {};
    return metadata?.uid === uid && metadata?.generation === generation && metadata?.deletionTimestamp === undefined;
  }

  hold(kind: Kind, name: string): Promise<void> {
    return setHeld(this.#options.cluster.api, kind, name, true, this.object(kind, name));
  }

  release(kind: Kind, name: string): Promise<void> {
    return setHeld(this.#options.cluster.api, kind, name, false, this.object(kind, name));
  }

  isDeleting(kind: Kind, name: string): boolean {
    const newest = this.object(kind, name);
    return newest?.metadata.deletionTimestamp !== undefined && isHeld(newest);
  }

  /** Returns the object of a resource, as last observed. */
  object(kind: Kind, name: string): KubeObject | undefined {
    return this.#reflectors.get(kind)?.get(name);
  }

  /** Returns whether everything has been listed. */
  synced(): boolean {
    return [...this.#reflectors.values()].every((reflector) => reflector.synced());
  }

  #observe(kind: Kind, name: string): void {
    const key = keyOf(kind, name);
    const before = this.#states.get(key);
    const newest = this.object(kind, name);
    const after = newest && judge(before, newest);
    if (after === undefined) this.#states.delete(key);
    else this.#states.set(key, after);
    this.#logProblems(key, after);
    if (!isSameState(before, after)) this.#listener?.onChange(key);
    this.#settle();
  }

  #logProblems(key: ResourceKey, { problems, good }: Partial<ObjectState> = {}): void {
    const { notices, logger } = this.#options;
    const notice = `invalid ${key}`;
    if (problems === undefined) {
      notices.clear(notice, () => logger.info({ resource: key }, `${key} is valid again or was deleted`));
      return;
    }
    const what = describeProblems(problems);
    notices.raise(notice, what, () => {
      const effect =
        good === undefined ? 'is not applied' : 'is not applied, and its last valid version stays effective';
      logger.error({ resource: key, problems }, `${key} ${effect}: ${what}`);
    });
  }

  /**
   * Returns a resource that is invalid now but was applied by an earlier operator. Its last valid version is unknown.
   */
  #findUnknown(): ResourceKey | undefined {
    for (const [key, { good, problems }] of this.#states) {
      const { kind, name } = partsOf(key);
      const newest = this.object(kind, name);
      if (problems !== undefined && good === undefined && newest !== undefined && isHeld(newest)) return key;
    }
    return undefined;
  }

  /**
   * Notifies the listener once when all resources are known. From then on every missing resource counts as deleted,
   * even if another one becomes invalid later.
   */
  #settle(): void {
    if (this.#settled || this.unsettled() !== undefined) return;
    this.#settled = true;
    this.#listener?.onSettled();
  }
}
