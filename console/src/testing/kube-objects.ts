import { isDeepStrictEqual } from 'node:util';
import { KubernetesError } from '@svc-asr/kubernetes';
import type { KubeApi, KubeObject, ResourceType } from '@svc-asr/kubernetes';

type Verb = 'get' | 'list' | 'create' | 'replace' | 'delete';

/** Objects in memory behind the part of the Kubernetes API that the console uses. */
export interface KubeObjects {
  api: Pick<KubeApi, Verb>;
  /** Puts an object there as somebody else would. */
  put: (object: KubeObject) => void;
  find: (kind: string, name: string) => KubeObject | undefined;
  /** Runs once, before the next request of this kind is served. */
  before: (verb: Verb, run: () => void) => void;
  /** The next write of this kind is heard, its answer is lost, and the client tries again. */
  loseAnswer: (verb: 'create' | 'replace') => void;
}

/** Makes an empty namespace. */
export function createKubeObjects(): KubeObjects {
  const objects = new Map<string, KubeObject>();
  const hooks = new Map<Verb, () => void>();
  const lost = new Set<Verb>();
  let version = 0;
  const keyOf = (kind: string, name: string) => `${kind}/${name}`;

  function begin(verb: Verb): void {
    const run = hooks.get(verb);
    hooks.delete(verb);
    run?.();
  }

  function store(object: KubeObject): KubeObject {
    const { name, uid = `uid-${++version}` } = object.metadata;
    const key = keyOf(object.kind, name);
    const known = objects.get(key);
    if (known !== undefined && isDeepStrictEqual(known, object)) return known;
    const stored = copy({ ...object, metadata: { ...object.metadata, uid, resourceVersion: `${++version}` } });
    objects.set(key, stored);
    return stored;
  }

  function refuse(status: number, reason: string): KubernetesError {
    return new KubernetesError(status, reason, reason);
  }

  /** As the client does it: a second try of what was heard the first time. */
  function attempt(verb: Verb, write: () => KubeObject): KubeObject {
    if (!lost.delete(verb)) return write();
    write();
    try {
      return write();
    } catch (error) {
      if (error instanceof KubernetesError) error.attempts = 2;
      throw error;
    }
  }

  return {
    put: (object) => void store(object),
    find: (kind, name) => objects.get(keyOf(kind, name)),
    before: (verb, run) => void hooks.set(verb, run),
    loseAnswer: (verb) => void lost.add(verb),
    api: {
      get: async (type: ResourceType, name) => {
        await Promise.resolve();
        begin('get');
        return copy(objects.get(keyOf(type.kind, name)));
      },
      list: async (type, { limit = 500, continue: token = '0' } = {}) => {
        await Promise.resolve();
        begin('list');
        const all = [...objects.values()].filter(({ kind }) => kind === type.kind);
        const from = Number(token);
        const more = from + limit < all.length ? { continue: String(from + limit) } : {};
        return copy({ items: all.slice(from, from + limit), metadata: { resourceVersion: '1', ...more } });
      },
      create: async (type, object) => {
        await Promise.resolve();
        begin('create');
        return attempt('create', () => {
          if (objects.has(keyOf(type.kind, object.metadata.name))) throw refuse(409, 'AlreadyExists');
          return store(object);
        });
      },
      replace: async (type, object) => {
        await Promise.resolve();
        begin('replace');
        return attempt('replace', () => {
          const known = objects.get(keyOf(type.kind, object.metadata.name));
          if (known === undefined) throw refuse(404, 'NotFound');
          if (known.metadata.resourceVersion !== object.metadata.resourceVersion) throw refuse(409, 'Conflict');
          return store(object);
        });
      },
      delete: async (type, name) => {
        await Promise.resolve();
        begin('delete');
        objects.delete(keyOf(type.kind, name));
      },
    },
  };
}

/** As it comes over the wire. */
function copy<T>(value: T): T {
  return value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T);
}
