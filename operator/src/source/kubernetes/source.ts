import { isDeepStrictEqual } from 'node:util';
import { describeProblems, RECONCILED_KINDS } from '@svc-asr/core';
import type { ReconciledKind, Problem, ReconciledResource, ResourceOf } from '@svc-asr/core';
import type { Logger } from '@svc-asr/runtime';
import { scopeOf } from '../../kubernetes/cluster.ts';
import type { ClusterScope } from '../../kubernetes/cluster.ts';
import { TYPES } from '@svc-asr/kubernetes';
import type { KubeApi, KubeObject } from '@svc-asr/kubernetes';
import type { Notices } from '../../notices.ts';
import { keyOf } from '../source.ts';
import type { ResourceKey, ResourceSource, SourceListener } from '../source.ts';
import { duplicateKey, isDuplicateName, judgeDuplicate, splitDuplicate } from './duplicate.ts';
import { isHeld, setHeld } from './finalizer.ts';
import { mergeReflectors } from './merge-reflectors.ts';
import type { MergedReflector } from './merge-reflectors.ts';
import { isSameState, judge } from './state.ts';
import type { ObjectState } from './state.ts';
import { trimResource } from './trim.ts';

export interface KubernetesSourceOptions {
  /** Access to the namespace of the installation, and to further ones that may contain ASRModels. */
  scopes: readonly Pick<ClusterScope, 'api' | 'reflect'>[];
  /** Longest time that `start` waits for the further namespaces. */
  timeoutMs: number;
  notices: Notices;
  logger: Logger;
}

/**
 * Provides resources from the Kubernetes API by watching the three kinds. An invalid object changes nothing, and its
 * status reports the problems. ASRModels may be in several namespaces. A duplicate, whose name belongs to an ASRModel
 * of another namespace, is an invalid resource under the name NAMESPACE/NAME.
 */
export class KubernetesSource implements ResourceSource {
  readonly #options: KubernetesSourceOptions;
  readonly #reflectors: ReadonlyMap<ReconciledKind, MergedReflector>;
  readonly #states = new Map(RECONCILED_KINDS.map((kind) => [kind, new Map<string, ObjectState>()]));
  #listener: SourceListener | undefined;
  #settled = false;

  constructor(options: KubernetesSourceOptions) {
    this.#options = options;
    this.#reflectors = new Map(
      RECONCILED_KINDS.map((kind) => {
        const scopes = kind === 'ASRModel' ? options.scopes : options.scopes.slice(0, 1);
        const onChange = (name: string) => this.#observe(kind, name);
        const reflectors = scopes.map(({ reflect }) => reflect(TYPES[kind], { onChange, trim: trimResource }));
        return [kind, mergeReflectors(reflectors, options.timeoutMs)];
      }),
    );
  }

  /** Starts to watch without a listener, so that a standby knows all resources when it becomes the leader. */
  warm(): void {
    for (const reflector of this.#reflectors.values()) void reflector.complete().then(() => this.#settle());
  }

  async start(listener: SourceListener): Promise<void> {
    await Promise.all([...this.#reflectors.values()].map((reflector) => reflector.start()));
    this.#listener = listener;
    this.#settle();
    if (!this.#settled) this.warm();
  }

  stop(): Promise<void> {
    this.#listener = undefined;
    for (const reflector of this.#reflectors.values()) reflector.stop();
    return Promise.resolve();
  }

  get<K extends ReconciledKind>(kind: K, name: string): ResourceOf<K> | undefined {
    return this.#statesOf(kind).get(name)?.good as ResourceOf<K> | undefined;
  }

  list<K extends ReconciledKind = ReconciledKind>(kind?: K): ResourceOf<K>[] {
    const resources: ReconciledResource[] = [];
    for (const one of kind === undefined ? RECONCILED_KINDS : [kind]) {
      for (const { good } of this.#statesOf(one).values()) if (good !== undefined) resources.push(good);
    }
    return resources as ResourceOf<K>[];
  }

  keys(): ResourceKey[] {
    return RECONCILED_KINDS.flatMap((kind) => [...this.#statesOf(kind).keys()].map((name) => keyOf(kind, name)));
  }

  problems(kind: ReconciledKind, name: string): readonly Problem[] | undefined {
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
    if (![...this.#reflectors.values()].every((reflector) => reflector.synced()))
      return 'not everything has been listed yet';
    const unknown = this.#findUnknown();
    return unknown === undefined ? undefined : `${unknown} is invalid, and its last valid version is unknown`;
  }

  async isNewest({ kind, metadata: { name, uid, generation, namespace } }: ReconciledResource): Promise<boolean> {
    const { metadata } = (await scopeOf(this.#options.scopes, namespace).api.get(TYPES[kind], name)) ?? {};
    return metadata?.uid === uid && metadata?.generation === generation && metadata?.deletionTimestamp === undefined;
  }

  hold(kind: ReconciledKind, name: string): Promise<void> {
    return this.#setHeld(kind, name, true);
  }

  release(kind: ReconciledKind, name: string): Promise<void> {
    return this.#setHeld(kind, name, false);
  }

  isDeleting(kind: ReconciledKind, name: string): boolean {
    const newest = this.object(kind, name);
    return newest?.metadata.deletionTimestamp !== undefined && isHeld(newest);
  }

  isDuplicate(_kind: ReconciledKind, name: string): boolean {
    return isDuplicateName(name);
  }

  /** Returns the object of a resource, as last observed. */
  object(kind: ReconciledKind, name: string): KubeObject | undefined {
    const reflector = this.#reflectors.get(kind);
    if (!isDuplicateName(name)) return reflector?.get(name);
    const { namespace, name: own } = splitDuplicate(name);
    return reflector?.duplicates(own).find(({ metadata }) => metadata.namespace === namespace);
  }

  /** Returns whether all resources in the namespace of the installation have been listed. */
  synced(): boolean {
    return [...this.#reflectors.values()].every((reflector) => reflector.firstSynced());
  }

  #statesOf(kind: ReconciledKind): Map<string, ObjectState> {
    const states = this.#states.get(kind);
    if (states === undefined) throw new Error(`${kind} is not a kind of the source`);
    return states;
  }

  #observe(kind: ReconciledKind, name: string): void {
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
    if (kind === 'ASRModel') this.#observeDuplicates(name, newest);
    this.#settle();
  }

  /** Updates the states of the duplicates of a name, after the owner of the name or a duplicate has changed. */
  #observeDuplicates(name: string, owner: KubeObject | undefined): void {
    if (this.#options.scopes.length === 1) return;
    const states = this.#statesOf('ASRModel');
    const duplicates = this.#reflectors.get('ASRModel')?.duplicates(name) ?? [];
    for (const { api } of this.#options.scopes) {
      const duplicate = duplicateKey(api.namespace, name);
      const object = duplicates.find(({ metadata }) => metadata.namespace === api.namespace);
      const before = states.get(duplicate);
      const after = object && judgeDuplicate(object, owner);
      if (isDeepStrictEqual(before, after)) continue;
      if (after === undefined) states.delete(duplicate);
      else states.set(duplicate, after);
      const key = keyOf('ASRModel', duplicate);
      this.#logProblems(key, after);
      if (after !== undefined) this.#listener?.onChange(key);
    }
  }

  #setHeld(kind: ReconciledKind, name: string, held: boolean): Promise<void> {
    const object = this.object(kind, name);
    const { api }: { api: Pick<KubeApi, 'get' | 'mergePatch'> } = scopeOf(
      this.#options.scopes,
      object?.metadata.namespace,
    );
    return setHeld(api, kind, object?.metadata.name ?? name, held, object);
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
        if (problems === undefined || good !== undefined || isDuplicateName(name)) continue;
        const newest = this.object(kind, name);
        if (newest !== undefined && isHeld(newest)) return keyOf(kind, name);
      }
    }
    return undefined;
  }

  /**
   * Notifies the listener once when all resources are known, unless they were known before `start`. From then on every
   * missing resource counts as deleted, even if another one becomes invalid later.
   */
  #settle(): void {
    if (this.#settled || this.unsettled() !== undefined) return;
    this.#settled = true;
    this.#listener?.onSettled();
  }
}
