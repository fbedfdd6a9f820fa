import { isDeepStrictEqual } from 'node:util';
import type { ReconciledKind, ReconciledResource, ResourceOf } from '@svc-asr/core';
import { keyOf } from './source.ts';
import type { ResourceKey } from './source.ts';

/** Newest version of every resource of a source. */
export interface Store {
  get: <K extends ReconciledKind>(kind: K, name: string) => ResourceOf<K> | undefined;
  /** Returns the resources of a kind, or all of them. */
  list: <K extends ReconciledKind = ReconciledKind>(kind?: K) => readonly ResourceOf<K>[];
  /** Replaces all resources and returns the keys that differ. */
  replace: (next: ReadonlyMap<ResourceKey, ReconciledResource>) => ResourceKey[];
}

export function createStore(): Store {
  let resources: ReadonlyMap<ResourceKey, ReconciledResource> = new Map();
  return {
    get: <K extends ReconciledKind>(kind: K, name: string) =>
      resources.get(keyOf(kind, name)) as ResourceOf<K> | undefined,
    list: <K extends ReconciledKind>(kind?: K) =>
      [...resources.values()].filter(
        (resource): resource is ResourceOf<K> => kind === undefined || resource.kind === kind,
      ),
    replace: (next) => {
      const keys = new Set([...resources.keys(), ...next.keys()]);
      const changed = [...keys].filter((key) => !isDeepStrictEqual(resources.get(key), next.get(key)));
      resources = next;
      return changed;
    },
  };
}
