import type { KubeObject } from '@svc-asr/kubernetes';

/** The objects of a type by name. */
export interface ObjectStore {
  get: (name: string) => KubeObject | undefined;
  list: () => KubeObject[];
  put: (object: KubeObject) => void;
  remove: (name: string) => void;
  /** Replaces all objects and returns the names that were added, changed or deleted. */
  replace: (objects: readonly KubeObject[]) => string[];
}

export function createObjectStore(): ObjectStore {
  let objects = new Map<string, KubeObject>();
  return {
    get: (name) => objects.get(name),
    list: () => [...objects.values()],
    put: (object) => void objects.set(object.metadata.name, object),
    remove: (name) => void objects.delete(name),
    replace: (next) => {
      const before = objects;
      objects = new Map(next.map((object) => [object.metadata.name, object]));
      const deleted = [...before.keys()].filter((name) => !objects.has(name));
      const changed = [...objects].filter(([name, object]) => !isSame(before.get(name), object));
      return [...deleted, ...changed.map(([name]) => name)];
    },
  };
}

function isSame(a: KubeObject | undefined, b: KubeObject): boolean {
  return a?.metadata.resourceVersion === b.metadata.resourceVersion && a?.metadata.uid === b.metadata.uid;
}
