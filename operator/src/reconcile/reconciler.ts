import type { Kind, ResourceOf } from '@svc-asr/core';
import type { Phase } from './phases.ts';

/** How resources of one kind are brought into force and out of it. */
export interface Reconciler<K extends Kind> {
  /** For a resource that is there. */
  present: readonly Phase<ResourceOf<K>>[];
  /** For the name of one that was applied and is there no more. */
  absent: readonly Phase<string>[];
}

export type Reconcilers = { readonly [K in Kind]: Reconciler<K> };
