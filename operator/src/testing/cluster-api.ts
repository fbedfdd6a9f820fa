import { KubernetesError, apiVersionOf } from '@svc-asr/kubernetes';
import type { KubeApi, KubeObject, ResourceType } from '@svc-asr/kubernetes';
import type { Reflect, ReflectOptions } from '../workers/cluster/objects/object-cache.ts';

/** A cluster API in memory. It records writes, and can hold back the changes that reflectors receive. */
export interface ClusterApi {
  api: Pick<KubeApi, 'namespace' | 'get' | 'apply' | 'mergePatch' | 'delete'>;
  reflect: Reflect;
  /** All writes, each as verb, kind and name. */
  writes: string[];
  get: (type: ResourceType, name: string) => KubeObject | undefined;
  /** Stores an object as another client would. This is not recorded as a write. */
  put: (type: ResourceType, object: Omit<KubeObject, 'apiVersion' | 'kind'>) => void;
  remove: (type: ResourceType, name: string) => void;
  /**
   * Holds back changes from reflectors. A change that was held back is delivered with the next change of the same
   * object.
   */
  holdWatches: (held: boolean) => void;
  /** Makes writes fail with this error. If a kind is given, writes of other kinds succeed. */
  refuseWith: (error: Error | undefined, kind?: string) => void;
  /** Changes applied objects, as an admission webhook does. */
  mutate: (change: (object: KubeObject) => KubeObject) => void;
}

/** Creates an empty cluster. */
export function createClusterApi(): ClusterApi {
  const objects = new WatchedObjects();
  const writes: string[] = [];
  let refusal: { error: Error; kind: string | undefined } | undefined;
  let change = (object: KubeObject) => object;

  /** Waits for a short time, as a real request does, then records the write. Throws if the test refuses the write. */
  async function startWrite(verb: string, type: ResourceType, name: string): Promise<void> {
    await Promise.resolve();
    if (refusal !== undefined && (refusal.kind ?? type.kind) === type.kind) throw refusal.error;
    writes.push(`${verb} ${keyOf(type, name)}`);
  }

  return {
    writes,
    api: {
      namespace: 'asr',
      get: async (type, name) => {
        await Promise.resolve();
        return objects.get(type, name);
      },
      apply: async (type, object) => {
        await startWrite('apply', type, object.metadata.name);
        return objects.put(type, change(object));
      },
      mergePatch: async (type, name, patch) => {
        await startWrite('patch', type, name);
        return objects.put(type, mergeInto(objects.get(type, name), patch));
      },
      delete: async (type, name) => {
        await startWrite('delete', type, name);
        objects.remove(type, name);
      },
    },
    reflect: (type, options) => objects.reflect(type, options),
    get: (type, name) => objects.get(type, name),
    put: (type, object) =>
      void objects.put(type, { apiVersion: apiVersionOf(type), kind: type.kind, ...object } as KubeObject),
    remove: (type, name) => objects.remove(type, name),
    holdWatches: (held) => {
      objects.held = held;
    },
    refuseWith: (error, kind) => {
      refusal = error && { error, kind };
    },
    mutate: (next) => {
      change = next;
    },
  };
}

/** Objects of all types, and the reflectors that follow them. */
class WatchedObjects {
  /** While true, reflectors receive no changes. */
  held = false;
  readonly #objects = new Map<string, KubeObject>();
  /** The objects as reflectors have received them. */
  readonly #seen = new Map<string, KubeObject>();
  readonly #followers = new Map<string, ReflectOptions[]>();
  #version = 0;

  get(type: ResourceType, name: string): KubeObject | undefined {
    return this.#objects.get(keyOf(type, name));
  }

  put(type: ResourceType, object: KubeObject): KubeObject {
    const { name, uid = `uid-${name}` } = object.metadata;
    const stored = { ...object, metadata: { ...object.metadata, uid, resourceVersion: String(++this.#version) } };
    this.#objects.set(keyOf(type, name), stored);
    this.#notify(type, name);
    return stored;
  }

  remove(type: ResourceType, name: string): void {
    this.#objects.delete(keyOf(type, name));
    this.#notify(type, name);
  }

  reflect(type: ResourceType, options: ReflectOptions): ReturnType<Reflect> {
    this.#followers.set(type.kind, [...(this.#followers.get(type.kind) ?? []), options]);
    return {
      start: () => Promise.resolve(),
      stop: () => undefined,
      synced: () => true,
      get: (name) => this.#seen.get(keyOf(type, name)),
      list: () => [...this.#seen.values()].filter(({ kind }) => kind === type.kind),
    };
  }

  #notify(type: ResourceType, name: string): void {
    if (this.held) return;
    const key = keyOf(type, name);
    const object = this.#objects.get(key);
    if (object === undefined) this.#seen.delete(key);
    else this.#seen.set(key, object);
    for (const { onChange } of this.#followers.get(type.kind) ?? []) onChange(name);
  }
}

function keyOf(type: ResourceType, name: string): string {
  return `${type.kind}/${name}`;
}

/**
 * Applies a merge patch as the API server does. Throws 404 if there is no object, and 409 if the patch names another
 * version.
 */
function mergeInto(object: KubeObject | undefined, patch: object): KubeObject {
  if (object === undefined) throw new KubernetesError(404, 'NotFound', 'not found');
  const { resourceVersion } = object.metadata;
  if (((patch as Partial<KubeObject>).metadata?.resourceVersion ?? resourceVersion) !== resourceVersion)
    throw new KubernetesError(409, 'Conflict', 'the object has been modified');
  return merge(object, patch) as KubeObject;
}

function merge(object: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const before = (typeof object === 'object' && object !== null ? object : {}) as Record<string, unknown>;
  const merged = { ...before };
  for (const [name, value] of Object.entries(patch)) merged[name] = merge(before[name], value);
  // A merge patch removes the fields that it sets to null.
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
}
