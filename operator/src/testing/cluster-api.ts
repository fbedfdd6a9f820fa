import { KubernetesError, apiVersionOf } from '@svc-asr/kubernetes';
import type { KubeApi, KubeObject, ResourceType } from '@svc-asr/kubernetes';
import type { Reflect, ReflectOptions } from '../workers/cluster/objects/object-cache.ts';

/** A cluster API in memory. It records writes, and can hold back the changes that reflectors receive. */
export interface ClusterApi {
  api: Pick<KubeApi, 'get' | 'apply' | 'mergePatch' | 'delete'>;
  reflect: Reflect;
  /** All writes, each as verb, kind and name. */
  writes: string[];
  get: (type: ResourceType, name: string) => KubeObject | undefined;
  /** Stores an object as another client would. This is not recorded as a write. */
  put: (type: ResourceType, object: Omit<KubeObject, 'apiVersion' | 'kind'>) => void;
  remove: (type: ResourceType, name: string) => void;
  /** Holds back changes from reflectors. Changes made meanwhile are delivered with the next one of the same object. */
  holdWatches: (held: boolean) => void;
  /** Makes writes fail with this error. If a kind is given, writes of other kinds succeed. */
  refuseWith: (error: Error | undefined, kind?: string) => void;
  /** Changes applied objects, as an admission webhook does. */
  mutate: (change: (object: KubeObject) => KubeObject) => void;
}

/** Creates an empty cluster. */
export function createClusterApi(): ClusterApi {
  const objects = new Map<string, KubeObject>();
  const seen = new Map<string, KubeObject>();
  const followers = new Map<string, ReflectOptions[]>();
  const writes: string[] = [];
  let version = 0;
  let held = false;
  let refusal: Error | undefined;
  let refused: string | undefined;
  let change = (object: KubeObject) => object;
  const keyOf = (type: ResourceType, name: string) => `${type.kind}/${name}`;

  function notify(type: ResourceType, name: string): void {
    if (held) return;
    const key = keyOf(type, name);
    const object = objects.get(key);
    if (object === undefined) seen.delete(key);
    else seen.set(key, object);
    for (const { onChange } of followers.get(type.kind) ?? []) onChange(name);
  }

  function store(type: ResourceType, object: KubeObject): KubeObject {
    const { name, uid = `uid-${name}` } = object.metadata;
    const stored = { ...object, metadata: { ...object.metadata, uid, resourceVersion: String(++version) } };
    objects.set(keyOf(type, name), stored);
    notify(type, name);
    return stored;
  }

  function write(verb: string, type: ResourceType, name: string): void {
    if (refusal !== undefined && (refused ?? type.kind) === type.kind) throw refusal;
    writes.push(`${verb} ${keyOf(type, name)}`);
  }

  return {
    writes,
    api: {
      get: async (type, name) => {
        await Promise.resolve();
        return objects.get(keyOf(type, name));
      },
      apply: async (type, object) => {
        await Promise.resolve();
        write('apply', type, object.metadata.name);
        return store(type, change(object));
      },
      mergePatch: async (type, name, patch) => {
        await Promise.resolve();
        write('patch', type, name);
        const object = objects.get(keyOf(type, name));
        if (object === undefined) throw new KubernetesError(404, 'NotFound', 'not found');
        const { resourceVersion = object.metadata.resourceVersion } = (patch as Partial<KubeObject>).metadata ?? {};
        if (resourceVersion !== object.metadata.resourceVersion)
          throw new KubernetesError(409, 'Conflict', 'the object has been modified');
        return store(type, merge(object, patch) as KubeObject);
      },
      delete: async (type, name) => {
        await Promise.resolve();
        write('delete', type, name);
        objects.delete(keyOf(type, name));
        notify(type, name);
      },
    },
    reflect: (type, options) => {
      followers.set(type.kind, [...(followers.get(type.kind) ?? []), options]);
      return {
        start: () => Promise.resolve(),
        stop: () => undefined,
        synced: () => true,
        get: (name) => seen.get(keyOf(type, name)),
        list: () => [...seen.values()].filter(({ kind }) => kind === type.kind),
      };
    },
    get: (type, name) => objects.get(keyOf(type, name)),
    put: (type, object) =>
      void store(type, { apiVersion: apiVersionOf(type), kind: type.kind, ...object } as KubeObject),
    remove: (type, name) => {
      objects.delete(keyOf(type, name));
      notify(type, name);
    },
    holdWatches: (hold) => {
      held = hold;
    },
    refuseWith: (error, kind) => {
      refusal = error;
      refused = kind;
    },
    mutate: (next) => {
      change = next;
    },
  };
}

function merge(object: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const before = (typeof object === 'object' && object !== null ? object : {}) as Record<string, unknown>;
  const merged = { ...before };
  for (const [name, value] of Object.entries(patch)) merged[name] = merge(before[name], value);
  return merged;
}
