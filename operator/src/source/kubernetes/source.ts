import { describeProblems, KINDS } from '@svc-asr/core';
import type { Kind, Problem, Resource, ResourceOf } from '@svc-asr/core';
import type { Logger } from '@svc-asr/runtime';
import type { Cluster } from '../../kubernetes/cluster.ts';
import type { Reflector } from '../../kubernetes/reflector.ts';
import { TYPES } from '@svc-asr/kubernetes';
import type { KubeObject } from '@svc-asr/kubernetes';
import type { Notices } from '../../notices.ts';
import { keyOf } from '../source.ts';
import type { ResourceKey, ResourceSource, SourceListener } from '../source.ts';
import { isHeld, setHeld } from './finalizer.ts';
import { isSameState, judge } from './state.ts';
import type { ObjectState } from './state.ts';
import { trimResource } from './trim.ts';

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
  readonly #states = new Map(KINDS.map((kind) => [kind, new Map<string, ObjectState>()]));
  #listener: SourceListener | undefined;
  #settled = false;

  constructor(options: KubernetesSourceOptions) {
    const { cluster } = options;
    this.#options = options;
    this.#reflectors = new Map(
      KINDS.map((kind) => [
        kind,
        cluster.reflect(TYPES[kind], { onChange: (name) => this.#observe(kind, name), trim: trimResource }),
      ]),
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
    return this.#statesOf(kind).get(name)?.good as ResourceOf<K> | undefined;
  }

  list<K extends Kind = Kind>(kind?: K): ResourceOf<K>[] {
    const resources: Resource[] = [];
    for (const one of kind === undefined ? KINDS : [kind]) {
      for (const { good } of this.#statesOf(one).values()) if (good !== undefined) resources.push(good);
    }
    return resources as ResourceOf<K>[];
  }

  keys(): ResourceKey[] {
    return KINDS.flatMap((kind) => [...this.#statesOf(kind).keys()].map((name) => keyOf(kind, name)));
  }

  problems(kind: Kind, name: string): readonly Problem[] | undefined {
    return this.#statesOf(kind).get(name)?.problems;
  }

  invalidCount(): number {
    let count = 0;
    for (const states of this.#states.values()) {
      for (const { problems } of states.values()) if (problems !== undefined) count += 1;
    }
    return count;
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

  #statesOf(kind: Kind): Map<string, ObjectState> {
    const states = this.#states.get(kind);
    if (states === undefined) throw new Error(`${kind} is not a kind of the source`);
    return states;
  }

  #observe(kind: Kind, name: string): void {
    const key = keyOf(kind, name);
    const states = this.#statesOf(kind);
    const before = states.get(name);
    const newest = this.object(kind, name);
    const after = newest && judge(before, newest);
    if (after === undefined) states.delete(name);
    else states.set(name, after);
    // Keeps one copy of the spec in memory instead of two.
    if (newest !== undefined && after?.good?.metadata === newest.metadata) newest.spec = after.good.spec;
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
    for (const [kind, states] of this.#states) {
      for (const [name, { good, problems }] of states) {
        if (problems === undefined || good !== undefined) continue;
        const newest = this.object(kind, name);
        if (newest !== undefined && isHeld(newest)) return keyOf(kind, name);
      }
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
