import type { Kind, Problem, Resource, ResourceOf } from '@svc-asr/core';

/** Names a resource: `Kind/name`. */
export type ResourceKey = `${Kind}/${string}`;

/** The key of a resource of a kind. */
export function keyOf(kind: Kind, name: string): ResourceKey {
  return `${kind}/${name}`;
}

/** The key's parts. */
export function partsOf(key: ResourceKey): { kind: Kind; name: string } {
  const slash = key.indexOf('/');
  return { kind: key.slice(0, slash) as Kind, name: key.slice(slash + 1) };
}

/** What a source tells; it never waits for the listener. */
export interface SourceListener {
  /** The resource was added, changed or deleted: `get` has its newest state. */
  onChange: (key: ResourceKey) => void;
  /** `unsettled` has become undefined. */
  onSettled: () => void;
}

/** Where resources come from: watched files, or the Kubernetes API. Every resource it gives has been checked. */
export interface ResourceSource {
  /** Begins to watch; resolves when there was a first look. Never fails because of what it finds there. */
  start: (listener: SourceListener) => Promise<void>;
  stop: () => Promise<void>;
  get: <K extends Kind>(kind: K, name: string) => ResourceOf<K> | undefined;
  list: () => readonly Resource[];
  /** Whatever is there: valid, wrong, or deleted and not released yet. */
  keys: () => readonly ResourceKey[];
  /**
   * Why a resource that this source never had may exist all the same (not everything has been listed, a file cannot be
   * read); undefined once whatever is absent is known to be deleted.
   */
  unsettled: () => string | undefined;
  /** How many files, or objects of the cluster, are not or not wholly in force because of what is wrong with them. */
  bad: () => number;
  /** What is wrong with the newest state of a resource; `get` has the last good one, if there was any. */
  problems: (kind: Kind, name: string) => readonly Problem[] | undefined;
  /** Whether there is no newer state of a resource than this, asked where resources are kept. */
  isNewest: (resource: Resource) => Promise<boolean>;
  /** From now on the resource cannot vanish before it is released. Called before anything is made of it. */
  hold: (kind: Kind, name: string) => Promise<void>;
  /** Nothing is left of what was made of the resource: it may go. */
  release: (kind: Kind, name: string) => Promise<void>;
  /** Whether the resource is deleted and waits to be released. */
  leaving: (kind: Kind, name: string) => boolean;
}
