import type { KubeList, KubeObject, ResourceType } from './objects.ts';

export interface ListOptions {
  labelSelector?: string;
  fieldSelector?: string;
  /** Maximum number of objects in a page. */
  limit?: number;
  /** Continue token of the previous page. */
  continue?: string;
  /** `0` accepts any version that the server has cached. If omitted, the newest version is returned. */
  resourceVersion?: string;
  /** Aborts the request. */
  signal?: AbortSignal;
}

export interface WatchOptions {
  labelSelector?: string;
  resourceVersion: string;
  /** Time after which the server ends the watch. */
  timeoutSeconds: number;
  signal: AbortSignal;
  /** Called when the watch starts and for every chunk that arrives, even if it is not a whole line. */
  onBytes: () => void;
}

/** One event of a watch. */
export interface WatchEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  object: KubeObject;
}

export interface DeleteOptions {
  /** Uid that the object must have. It prevents the deletion of an object that was recreated under the same name. */
  uid?: string | undefined;
  /** Version that the object must have. The deletion fails with 409 if another writer has changed the object. */
  resourceVersion?: string | undefined;
  propagation?: 'Background' | 'Foreground' | 'Orphan';
}

/**
 * Client of the Kubernetes API for one namespace. Requests have a deadline. After a 429, a server error or a network
 * error, a request is retried a limited number of times. After a 401, it is retried once with reloaded credentials.
 * Every other error, such as 409, is thrown immediately as a `KubernetesError`. Watches are not retried. Writes are
 * refused while the write gate is closed.
 */
export interface KubeApi {
  readonly namespace: string;
  /** Returns an object. Undefined if it does not exist. */
  get: (type: ResourceType, name: string) => Promise<KubeObject | undefined>;
  list: (type: ResourceType, options?: ListOptions) => Promise<KubeList>;
  create: (type: ResourceType, object: KubeObject) => Promise<KubeObject>;
  /** Replaces the object. Fails with 409 if its `resourceVersion` is outdated. */
  replace: (type: ResourceType, object: KubeObject) => Promise<KubeObject>;
  /** Applies an object with server-side apply, and takes over fields that others manage. */
  apply: (type: ResourceType, object: KubeObject) => Promise<KubeObject>;
  /** Applies the status subresource of an object with server-side apply. */
  applyStatus: (type: ResourceType, object: KubeObject) => Promise<KubeObject>;
  mergePatch: (
    type: ResourceType,
    name: string,
    patch: object,
    options?: { subresource?: string },
  ) => Promise<KubeObject>;
  /** Deletes an object. Succeeds if the object does not exist. */
  delete: (type: ResourceType, name: string, options?: DeleteOptions) => Promise<void>;
  /** Returns the changes since `resourceVersion`, until the server ends the watch. Throws if the signal is aborted. */
  watch: (type: ResourceType, options: WatchOptions) => AsyncIterable<WatchEvent>;
  /** Returns a client of another namespace, which shares the connections of this one. */
  within: (namespace: string) => KubeApi;
  /** Closes the connections, including those for watches, which other clients may share. */
  close: () => void;
}
