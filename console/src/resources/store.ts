import type { ResourceOf } from '@svc-asr/core';

/** Kinds that the console writes. */
export type ConsoleKind = 'Tenant' | 'ApiKey' | 'Member';

export interface Stored<K extends ConsoleKind> {
  readonly resource: ResourceOf<K>;
  /** File that defines the resource, if the console must not write it. */
  readonly readOnlyIn: string | undefined;
}

/**
 * Identity of a user of an OpenID provider. It contains no e-mail address, because an address can later belong to
 * another user.
 */
export interface UserIdentity {
  readonly issuer: string;
  readonly subject: string;
}

/** A file or object that contains an invalid resource. */
export interface Unreadable {
  readonly file: string;
  readonly problem: string;
}

/** Everything that a store contains of a tenant, including resources that are invalid or being deleted. */
export interface TenantTraces {
  /** Number of Tenants of this name: 0 or 1. */
  readonly tenants: number;
  /** Names of the ApiKeys of the tenant. */
  readonly keyNames: readonly string[];
  /** Names of the Members of the tenant. */
  readonly memberNames: readonly string[];
  /** Files that may contain data of the tenant but cannot be read. */
  readonly unreadable: readonly Unreadable[];
}

export interface Updated<K extends ConsoleKind> {
  readonly resource: ResourceOf<K>;
  /** The replaced resource. Undefined if the resource is new. */
  readonly previous: ResourceOf<K> | undefined;
}

/**
 * Access to resources: files when standalone, the Kubernetes API in a cluster. A write is durable when its promise
 * resolves. Writing a resource that the console does not own throws `read_only_resource`.
 */
export interface ResourceStore {
  list: <K extends ConsoleKind>(kind: K) => Promise<Stored<K>[]>;
  /** Returns the keys that are labelled with a tenant. See `keysOf`. */
  labelledKeys: (tenant: string) => Promise<Stored<'ApiKey'>[]>;
  /** Returns the keys without the label that names their tenant. They may belong to any tenant. */
  unlabelledKeys: () => Promise<Stored<'ApiKey'>[]>;
  /** Returns the members of a tenant and its pending invitations. */
  membersOf: (tenant: string) => Promise<Stored<'Member'>[]>;
  /** Returns the Members of a user in all tenants. */
  membershipsOf: (user: UserIdentity) => Promise<Stored<'Member'>[]>;
  /** Returns what `list` leaves out because it is damaged. */
  unreadable: () => Promise<Unreadable[]>;
  traces: (tenant: string) => Promise<TenantTraces>;
  /** Throws `unreadable_resource` if the resource is damaged. */
  get: <K extends ConsoleKind>(kind: K, name: string) => Promise<Stored<K> | undefined>;
  /**
   * Creates or replaces a resource atomically. `change` receives the current resource, or undefined if there is none,
   * and returns the new one. It must be pure, because a store may call it again after a conflict.
   */
  update: <K extends ConsoleKind>(
    kind: K,
    name: string,
    change: (current: ResourceOf<K> | undefined) => ResourceOf<K>,
  ) => Promise<Updated<K>>;
  /**
   * Deletes a resource. Returns false if there was none. A damaged key can be deleted too, because revoking must always
   * be possible. `check` receives the resource, and throws to prevent the deletion. The deletion fails with
   * `write_conflict` if another writer changes the resource after the check.
   */
  delete: <K extends ConsoleKind>(kind: K, name: string, check?: (current: ResourceOf<K>) => void) => Promise<boolean>;
}
