import type { ResourceOf } from '@svc-asr/core';

/** The kinds that the console writes, and no others. */
export type ConsoleKind = 'Tenant' | 'ApiKey';

export interface Stored<K extends ConsoleKind> {
  readonly resource: ResourceOf<K>;
  /** Where the resource is defined when the console may not write it, for people to change it there. */
  readonly readOnlyIn: string | undefined;
}

/** A file whose resources are not, or not all, known. */
export interface Unreadable {
  readonly file: string;
  readonly problem: string;
}

export interface Updated<K extends ConsoleKind> {
  readonly resource: ResourceOf<K>;
  /** What it replaced; undefined when it is new. */
  readonly previous: ResourceOf<K> | undefined;
}

/**
 * Where resources live: files when standalone, the Kubernetes API in a cluster. A write that came back is durable.
 * A resource that the console does not own throws `read_only_resource` from the writing methods.
 */
export interface ResourceStore {
  list: <K extends ConsoleKind>(kind: K) => Promise<Stored<K>[]>;
  /** What `list` cannot show, for people to repair. */
  unreadable: () => Promise<Unreadable[]>;
  /** Throws `unreadable_resource` when it is there and damaged. */
  get: <K extends ConsoleKind>(kind: K, name: string) => Promise<Stored<K> | undefined>;
  /**
   * Makes or replaces a resource in one step that no other write comes between: `change` gets what is there (undefined:
   * nothing) and gives what shall be there. It must be pure: a store may call it again after losing a race.
   */
  update: <K extends ConsoleKind>(
    kind: K,
    name: string,
    change: (current: ResourceOf<K> | undefined) => ResourceOf<K>,
  ) => Promise<Updated<K>>;
  /** False when there was none. A key can be deleted although it is damaged: revoking must always be possible. */
  delete: (kind: ConsoleKind, name: string) => Promise<boolean>;
}
