import type { KubeObject } from '@svc-asr/kubernetes';

/** The objects of a type by name. */
export interface ObjectStore {
  get: (name: string) => KubeObject | undefined;
  list: () => KubeObject[];
  put: (object: KubeObject) => void;
  remove: (name: string) => void;
  /** Puts this state in place of the old one; returns the names of what was added, changed or is gone. */
  replace: (objects: readonly KubeObject[]) => string[];
}

/** Makes an empty store. */
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
      const gone = [...before.keys()].filter((name) => !objects.has(name));
      const changed = [...objects].filter(([name, object]) => !isSame(before.get(name), object));
      return [...gone, ...changed.map(([name]) => name)];
    },
  };
}

function isSame(a: KubeObject | undefined, b: KubeObject): boolean {
  return a?.metadata.resourceVersion === b.metadata.resourceVersion && a?.metadata.uid === b.metadata.uid;
}
