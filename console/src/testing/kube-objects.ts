import { isDeepStrictEqual } from 'node:util';
import { KubernetesError } from '@svc-asr/kubernetes';
import type { KubeApi, KubeList, KubeObject, ResourceType } from '@svc-asr/kubernetes';

type Verb = 'get' | 'list' | 'create' | 'replace' | 'delete';

/** In-memory implementation of the part of the Kubernetes API that the console uses. */
export interface KubeObjects {
  api: Pick<KubeApi, Verb>;
  /** Stores an object as another client of the API server would. */
  put: (object: KubeObject) => void;
  find: (kind: string, name: string) => KubeObject | undefined;
  /** Runs a function once, before the next request with this verb is served. */
  before: (verb: Verb, run: () => void) => void;
  /** Loses the response to the next write with this verb, so that the client sends the write again. */
  loseAnswer: (verb: 'create' | 'replace') => void;
}

/** Creates an empty namespace. */
export function createKubeObjects(): KubeObjects {
  const objects = new Map<string, KubeObject>();
  const hooks = new Map<Verb, () => void>();
  const lost = new Set<Verb>();
  let version = 0;
  const keyOf = (kind: string, name: string) => `${kind}/${name}`;

  function runHook(verb: Verb): void {
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

  /**
   * Executes a write. If a test asked to lose the response to this write, executes the write a second time, because the
   * client would retry it.
   */
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
        runHook('get');
        return copy(objects.get(keyOf(type.kind, name)));
      },
      list: async (type, { limit = 500, continue: token = '0', labelSelector = '' } = {}) => {
        await Promise.resolve();
        runHook('list');
        const all = [...objects.values()].filter(
          ({ kind, metadata }) => kind === type.kind && isSelected(metadata.labels ?? {}, labelSelector),
        );
        return pageOf(all, Number(token), limit);
      },
      create: async (type, object) => {
        await Promise.resolve();
        runHook('create');
        return attempt('create', () => {
          if (objects.has(keyOf(type.kind, object.metadata.name))) throw refuse(409, 'AlreadyExists');
          return store(object);
        });
      },
      replace: async (type, object) => {
        await Promise.resolve();
        runHook('replace');
        return attempt('replace', () => {
          const known = objects.get(keyOf(type.kind, object.metadata.name));
          if (known === undefined) throw refuse(404, 'NotFound');
          if (known.metadata.resourceVersion !== object.metadata.resourceVersion) throw refuse(409, 'Conflict');
          return store(object);
        });
      },
      delete: async (type, name, { resourceVersion } = {}) => {
        await Promise.resolve();
        runHook('delete');
        const known = objects.get(keyOf(type.kind, name));
        if (resourceVersion !== undefined && known?.metadata.resourceVersion !== resourceVersion) {
          throw refuse(409, 'Conflict');
        }
        objects.delete(keyOf(type.kind, name));
      },
    },
  };
}

function refuse(status: number, reason: string): KubernetesError {
  return new KubernetesError(status, reason, reason);
}

/** Returns a page of a list. */
function pageOf(all: readonly KubeObject[], from: number, limit: number): KubeList {
  const more = from + limit < all.length ? { continue: String(from + limit) } : {};
  return copy({ items: all.slice(from, from + limit), metadata: { resourceVersion: '1', ...more } });
}

/** Evaluates the two forms of selectors that the console sends: `label=value` and `!label`. */
function isSelected(labels: Readonly<Record<string, string>>, selector: string): boolean {
  const [name = '', value] = selector.split('=');
  if (name.startsWith('!')) return labels[name.slice(1)] === undefined;
  return value === undefined || labels[name] === value;
}

/** Copies a value through JSON, as a transfer between client and API server does. */
function copy<T>(value: T): T {
  return value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T);
}
