import type { ReconciledKind, Problem, ReconciledResource, ResourceOf } from '@svc-asr/core';

/** Key of a resource: `Kind/name`. */
export type ResourceKey = `${ReconciledKind}/${string}`;

/** Returns the key of a resource. */
export function keyOf(kind: ReconciledKind, name: string): ResourceKey {
  return `${kind}/${name}`;
}

/** Returns the parts of a key. */
export function partsOf(key: ResourceKey): { kind: ReconciledKind; name: string } {
  const slash = key.indexOf('/');
  return { kind: key.slice(0, slash) as ReconciledKind, name: key.slice(slash + 1) };
}

/** Receives changes of a source. The source does not wait for the listener. */
export interface SourceListener {
  /** Called when the resource was added, changed or deleted. `get` of the source returns the newest version. */
  onChange: (key: ResourceKey) => void;
  /** Called when the source has become complete, so that `unsettled` returns undefined. */
  onSettled: () => void;
}

/** Provides resources from watched files or from the Kubernetes API. Every resource has been validated. */
export interface ResourceSource {
  /**
   * Starts to watch. Resolves after the first read, which may be incomplete (see `unsettled`). Invalid content does not
   * cause a rejection.
   */
  start: (listener: SourceListener) => Promise<void>;
  stop: () => Promise<void>;
  get: <K extends ReconciledKind>(kind: K, name: string) => ResourceOf<K> | undefined;
  /** Returns the resources of a kind, or all of them. */
  list: <K extends ReconciledKind = ReconciledKind>(kind?: K) => readonly ResourceOf<K>[];
  /** Returns the keys of all resources: valid, invalid, or deleted but not released yet. */
  keys: () => readonly ResourceKey[];
  /**
   * Returns why a missing resource may nevertheless exist. For example, not everything has been listed, or a file has
   * never been valid. Undefined once every missing resource is known to be deleted.
   */
  unsettled: () => string | undefined;
  /** Returns the number of files or objects that are not fully applied because they are invalid. */
  invalidCount: () => number;
  /**
   * Returns the problems of the newest version of a resource. If it has problems, `get` returns the last valid version,
   * if there is one.
   */
  problems: (kind: ReconciledKind, name: string) => readonly Problem[] | undefined;
  /**
   * Returns whether the source has no newer version of the resource. Reads the resource from the API server to find
   * out. Always true for files.
   */
  isNewest: (resource: ReconciledResource) => Promise<boolean>;
  /**
   * Keeps the resource from disappearing before it is released. Called before it is first applied. Has no effect on
   * files.
   */
  hold: (kind: ReconciledKind, name: string) => Promise<void>;
  /** Allows a deleted resource to disappear. Called after all other phases of its removal. */
  release: (kind: ReconciledKind, name: string) => Promise<void>;
  /** Returns whether the resource was deleted and waits for its release. */
  isDeleting: (kind: ReconciledKind, name: string) => boolean;
  /**
   * Returns whether the resource is a duplicate: a resource of another namespace already has its name. Nothing is
   * created for a duplicate.
   */
  isDuplicate: (kind: ReconciledKind, name: string) => boolean;
}
