import type { KubeApi, KubeObject, ResourceType } from '@svc-asr/kubernetes';
import type { Reflector } from '../../../kubernetes/reflector.ts';
import { LABELS } from '../names.ts';

export interface ReflectOptions {
  labelSelector?: string;
  onChange: (name: string) => void;
  /** Returns the part of an object that is kept in memory. */
  trim?: (object: KubeObject) => KubeObject;
}

/** Creates a reflector, which follows the objects of a type. */
export type Reflect = (type: ResourceType, options: ReflectOptions) => Reflector;

export interface ObjectCacheOptions {
  api: Pick<KubeApi, 'apply' | 'mergePatch' | 'delete'>;
  reflect: Reflect;
  onChange: (model: string) => void;
}

/** The objects of one type that belong to models, by model. */
export interface ObjectCache {
  reflector: Reflector;
  models: () => Iterable<string>;
  get: (name: string) => KubeObject | undefined;
  of: (model: string) => KubeObject[];
  apply: (object: KubeObject) => Promise<KubeObject>;
  patch: (name: string, patch: object) => Promise<KubeObject>;
  delete: (object: KubeObject) => Promise<void>;
}

/** Result of the last write of an object. It is used until the watch reports a change of the object. */
interface Write {
  /** Undefined if the object was deleted. */
  object: KubeObject | undefined;
  /** The version that the watch had reported before the write. */
  versionBefore: string | undefined;
}

/**
 * Creates the cache of a type. The cache contains the operator's own writes at once. The watch reports the writes only
 * later, and much later if the watch is interrupted. Without the cache, the operator would repeat its writes until
 * then.
 */
export function createObjectCache(
  type: ResourceType,
  selector: string,
  { api, reflect, onChange }: ObjectCacheOptions,
): ObjectCache {
  const index = createModelIndex();
  const writes = new Map<string, Write>();

  const reflector = reflect(type, {
    labelSelector: selector,
    onChange: (name) => {
      const before = index.modelOf(name);
      index.update(name, get(name));
      const model = index.modelOf(name) ?? before;
      if (model !== undefined) onChange(model);
    },
  });

  function get(name: string): KubeObject | undefined {
    const observed = reflector.get(name);
    const last = writes.get(name);
    if (last === undefined) return observed;
    if (last.versionBefore === observed?.metadata.resourceVersion) return last.object;
    writes.delete(name);
    return observed;
  }

  const versionOf = (name: string) => reflector.get(name)?.metadata.resourceVersion;

  async function write<T extends KubeObject | undefined>(name: string, send: () => Promise<T>): Promise<T> {
    const versionBefore = versionOf(name);
    const object = await send();
    if (versionOf(name) === versionBefore) writes.set(name, { object, versionBefore });
    if (object !== undefined) index.update(name, object);
    return object;
  }

  return {
    reflector,
    models: index.models,
    get,
    of: (model) => index.namesOf(model).flatMap((name) => get(name) ?? []),
    apply: (object) => write(object.metadata.name, () => api.apply(type, object)),
    patch: (name, patch) => write(name, () => api.mergePatch(type, name, patch)),
    delete: async ({ metadata: { name, uid } }) => {
      await write(name, async () => {
        await api.delete(type, name, { ...(uid !== undefined && { uid }) });
        return undefined;
      });
    },
  };
}

/** Creates an index of object names by model. The label of an object contains the model to which it belongs. */
function createModelIndex() {
  const modelByName = new Map<string, string>();
  const namesByModel = new Map<string, Set<string>>();
  return {
    models: () => namesByModel.keys(),
    modelOf: (name: string) => modelByName.get(name),
    namesOf: (model: string) => [...(namesByModel.get(model) ?? [])],
    update: (name: string, object: KubeObject | undefined): void => {
      const model = object?.metadata.labels?.[LABELS.model];
      const before = modelByName.get(name);
      if (before !== undefined && before !== model) {
        modelByName.delete(name);
        const names = namesByModel.get(before);
        names?.delete(name);
        if (names?.size === 0) namesByModel.delete(before);
      }
      if (model === undefined) return;
      modelByName.set(name, model);
      namesByModel.set(model, (namesByModel.get(model) ?? new Set()).add(name));
    },
  };
}
