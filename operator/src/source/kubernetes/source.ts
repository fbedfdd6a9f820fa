import { describeProblems, KINDS } from '@svc-asr/core';
import type { Kind, Resource, ResourceOf } from '@svc-asr/core';
import type { Logger } from '@svc-asr/runtime';
import type { Cluster } from '../../kubernetes/cluster.ts';
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

/** Provides resources from the Kubernetes API. */
export interface KubernetesSource extends ResourceSource {
  /** Starts to watch without a listener, so that a standby knows everything when it becomes the leader. */
  warm: () => void;
  /** Returns the object of a resource, as last observed. */
  object: (kind: Kind, name: string) => KubeObject | undefined;
  /** Returns whether everything has been listed. */
  synced: () => boolean;
}

/** Watches the three kinds in the cluster. An invalid object changes nothing, and its status reports the problems. */
export function createKubernetesSource({ cluster, notices, logger }: KubernetesSourceOptions): KubernetesSource {
  const states = new Map<ResourceKey, ObjectState>();
  let listener: SourceListener | undefined;
  let settled = false;

  const reflectors = new Map(
    KINDS.map((kind) => [kind, cluster.reflect(TYPES[kind], { onChange: (name) => observe(kind, name) })]),
  );
  const object = (kind: Kind, name: string) => reflectors.get(kind)?.get(name);
  const synced = () => [...reflectors.values()].every((reflector) => reflector.synced());

  function observe(kind: Kind, name: string): void {
    const key = keyOf(kind, name);
    const before = states.get(key);
    const newest = object(kind, name);
    const after = newest && judge(before, newest);
    if (after === undefined) states.delete(key);
    else states.set(key, after);
    logProblems(key, after);
    if (!isSameState(before, after)) listener?.onChange(key);
    settle();
  }

  function logProblems(key: ResourceKey, { problems, good }: Partial<ObjectState> = {}): void {
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
  function findUnknown(): ResourceKey | undefined {
    for (const [key, { good, problems }] of states) {
      const { kind, name } = partsOf(key);
      const newest = object(kind, name);
      if (problems !== undefined && good === undefined && newest !== undefined && isHeld(newest)) return key;
    }
    return undefined;
  }

  function unsettled(): string | undefined {
    if (settled) return undefined;
    if (!synced()) return 'not everything has been listed yet';
    const unknown = findUnknown();
    return unknown === undefined ? undefined : `${unknown} is invalid, and its last valid version is unknown`;
  }

  /** Once everything was known, a missing resource was deleted, even if another one becomes invalid later. */
  function settle(): void {
    if (settled || unsettled() !== undefined) return;
    settled = true;
    listener?.onSettled();
  }

  return {
    warm: () => {
      for (const reflector of reflectors.values()) void reflector.start().then(settle);
    },
    start: async (next) => {
      await Promise.all([...reflectors.values()].map((reflector) => reflector.start()));
      listener = next;
      settle();
    },
    stop: () => {
      listener = undefined;
      for (const reflector of reflectors.values()) reflector.stop();
      return Promise.resolve();
    },
    get: <K extends Kind>(kind: K, name: string) => states.get(keyOf(kind, name))?.good as ResourceOf<K> | undefined,
    list: () => [...states.values()].flatMap(({ good }): Resource[] => (good === undefined ? [] : [good])),
    keys: () => [...states.keys()],
    unsettled,
    invalidCount: () => [...states.values()].filter(({ problems }) => problems !== undefined).length,
    problems: (kind, name) => states.get(keyOf(kind, name))?.problems,
    isNewest: async ({ kind, metadata: { name, uid, generation } }) => {
      const { metadata } = (await cluster.api.get(TYPES[kind], name)) ?? {};
      return metadata?.uid === uid && metadata?.generation === generation && metadata?.deletionTimestamp === undefined;
    },
    hold: (kind, name) => setHeld(cluster.api, kind, name, true, object(kind, name)),
    release: (kind, name) => setHeld(cluster.api, kind, name, false, object(kind, name)),
    isDeleting: (kind, name) => {
      const newest = object(kind, name);
      return newest?.metadata.deletionTimestamp !== undefined && isHeld(newest);
    },
    object,
    synced,
  };
}
