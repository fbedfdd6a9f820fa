import type { KubeApi, KubeObject, ResourceType } from '@svc-asr/kubernetes';
import type { Reflector } from '../../../kubernetes/reflector.ts';
import { LABELS } from '../names.ts';

export interface ReflectOptions {
  labelSelector: string;
  onChange: (name: string) => void;
  /** What is kept of each object. */
  trim?: (object: KubeObject) => KubeObject;
}

/** Begins to follow the objects of a type. */
export type Reflect = (type: ResourceType, options: ReflectOptions) => Reflector;

type Writes = Pick<KubeApi, 'apply' | 'mergePatch' | 'delete'>;

/** The objects of one type that belong to models, as they are as far as is known, and changes to them. */
export interface ObjectCache {
  reflector: Reflector;
  models: () => Iterable<string>;
  get: (name: string) => KubeObject | undefined;
  of: (model: string) => KubeObject[];
  apply: (object: KubeObject) => Promise<KubeObject>;
  patch: (name: string, patch: object) => Promise<KubeObject>;
  delete: (object: KubeObject) => Promise<void>;
}

/** What was written last, for as long as no news of the object have come since. */
interface Written {
  object: KubeObject | undefined;
  /** The version that was known when it was written. */
  before: string | undefined;
}

/**
 * Follows the objects of a type. What was just written counts as known: news of it take a moment, or longer where a
 * watch is cut, and nothing must be written again and again meanwhile.
 */
export function createObjectCache(
  type: ResourceType,
  selector: string,
  { api, reflect, onChange }: { api: Writes; reflect: Reflect; onChange: (model: string) => void },
): ObjectCache {
  const models = new Map<string, string>();
  const byModel = new Map<string, Set<string>>();
  const written = new Map<string, Written>();

  const reflector = reflect(type, {
    labelSelector: selector,
    onChange: (name) => {
      const before = models.get(name);
      note(name, get(name));
      const model = models.get(name) ?? before;
      if (model !== undefined) onChange(model);
    },
  });

  function note(name: string, object: KubeObject | undefined): void {
    const model = object?.metadata.labels?.[LABELS.model];
    const before = models.get(name);
    if (before !== undefined && before !== model) {
      models.delete(name);
      const names = byModel.get(before);
      names?.delete(name);
      if (names?.size === 0) byModel.delete(before);
    }
    if (model === undefined) return;
    models.set(name, model);
    byModel.set(model, (byModel.get(model) ?? new Set()).add(name));
  }

  function get(name: string): KubeObject | undefined {
    const seen = reflector.get(name);
    const last = written.get(name);
    if (last === undefined) return seen;
    if (last.before === seen?.metadata.resourceVersion) return last.object;
    written.delete(name);
    return seen;
  }

  const versionOf = (name: string) => reflector.get(name)?.metadata.resourceVersion;

  /** Writes, and keeps what came of it unless news of the object came first. */
  async function write<T extends KubeObject | undefined>(name: string, send: () => Promise<T>): Promise<T> {
    const before = versionOf(name);
    const object = await send();
    if (versionOf(name) === before) written.set(name, { object, before });
    if (object !== undefined) note(name, object);
    return object;
  }

  return {
    reflector,
    models: () => byModel.keys(),
    get,
    of: (model) => [...(byModel.get(model) ?? [])].flatMap((name) => get(name) ?? []),
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
