import type { KubeList, KubeObject, ResourceType } from './objects.ts';

export interface ListOptions {
  labelSelector?: string;
  /** Size of a page. */
  limit?: number;
  /** The token of the page before. */
  continue?: string;
  /** `0`: whatever the server has at hand; absent: the newest. */
  resourceVersion?: string;
  /** Ends the wait for an answer. */
  signal?: AbortSignal;
}

export interface WatchOptions {
  labelSelector?: string;
  resourceVersion: string;
  /** When the server ends the watch by itself. */
  timeoutSeconds: number;
  signal: AbortSignal;
  /** Told when the watch begins and of every piece that arrives, whole lines or not. */
  onBytes: () => void;
}

/** One line of a watch. */
export interface WatchEvent {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  object: KubeObject;
}

export interface DeleteOptions {
  /** Deletes this very object, not one that was made again under its name. */
  uid?: string;
  propagation?: 'Background' | 'Foreground' | 'Orphan';
}

/**
 * The API server, as far as one namespace. Requests have a deadline; 429 and faults of the server or the way to it are
 * tried again a bounded number of times. Every other refusal is an `KubernetesError` at once: 409 is for the caller to judge.
 * Writes are refused while this process may not write.
 */
export interface KubeApi {
  readonly namespace: string;
  /** Undefined: there is none. */
  get: (type: ResourceType, name: string) => Promise<KubeObject | undefined>;
  list: (type: ResourceType, options?: ListOptions) => Promise<KubeList>;
  create: (type: ResourceType, object: KubeObject) => Promise<KubeObject>;
  /** Replaces the object; its `resourceVersion` guards against losing what others wrote (409). */
  replace: (type: ResourceType, object: KubeObject) => Promise<KubeObject>;
  /** Server-side apply, taking over fields that others manage. */
  apply: (type: ResourceType, object: KubeObject) => Promise<KubeObject>;
  /** Server-side apply of the status subresource. */
  applyStatus: (type: ResourceType, object: KubeObject) => Promise<KubeObject>;
  mergePatch: (
    type: ResourceType,
    name: string,
    patch: object,
    options?: { subresource?: string },
  ) => Promise<KubeObject>;
  /** Fine where there is none. */
  delete: (type: ResourceType, name: string, options?: DeleteOptions) => Promise<void>;
  /** The changes since `resourceVersion`, until the server or the signal ends them. */
  watch: (type: ResourceType, options: WatchOptions) => AsyncIterable<WatchEvent>;
  /** Lets go of the connections. */
  close: () => void;
}
