import { isDeepStrictEqual } from 'node:util';
import type { Kind, Resource, ResourceOf } from '@svc-asr/core';
import { keyOf } from './source.ts';
import type { ResourceKey } from './source.ts';

/** The newest state of every resource of a source. */
export interface Store {
  get: <K extends Kind>(kind: K, name: string) => ResourceOf<K> | undefined;
  list: () => readonly Resource[];
  /** Puts this state in place of the old one and returns what differs. */
  replace: (next: ReadonlyMap<ResourceKey, Resource>) => ResourceKey[];
}

/** Makes an empty store. */
export function createStore(): Store {
  let resources: ReadonlyMap<ResourceKey, Resource> = new Map();
  return {
    get: <K extends Kind>(kind: K, name: string) => resources.get(keyOf(kind, name)) as ResourceOf<K> | undefined,
    list: () => [...resources.values()],
    replace: (next) => {
      const keys = new Set([...resources.keys(), ...next.keys()]);
      const changed = [...keys].filter((key) => !isDeepStrictEqual(resources.get(key), next.get(key)));
      resources = next;
      return changed;
    },
  };
}
