import type { Condition, ResourceOf } from '@svc-asr/core';

/** A Kubernetes Event about a model. */
export interface ModelEvent {
  readonly at: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
}

/** A model as its resource defines it. */
export interface ModelDefinition {
  readonly resource: ResourceOf<'ASRModel'>;
  readonly conditions: readonly Condition[];
  /** Recent events, newest first. Empty without a cluster. */
  readonly events: readonly ModelEvent[];
}

/** The operator that holds the leader lease. */
export interface OperatorLead {
  readonly holder: string;
  readonly renewedAt: string;
}

/** Reads the data about the platform that administrators see and that is not stored in Redis. */
export interface Platform {
  /** Where resources are stored. */
  readonly kind: 'files' | 'cluster';
  models: () => Promise<ModelDefinition[]>;
  /** Returns the leading operator. Undefined if it is unknown, as without a cluster. */
  lead: () => Promise<OperatorLead | undefined>;
}
