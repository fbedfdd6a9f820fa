import type { ReconciledKind, ResourceOf } from '@svc-asr/core';
import type { Phase } from './phases.ts';

/** Phases that apply and remove resources of one kind. */
export interface Reconciler<K extends ReconciledKind> {
  /** Phases for an existing resource. */
  present: readonly Phase<ResourceOf<K>>[];
  /** Phases for the name of a deleted resource that may still have an account, a key, a pool or a finalizer. */
  absent: readonly Phase<string>[];
}

export type Reconcilers = { readonly [K in ReconciledKind]: Reconciler<K> };
