import type { AsrModel } from '@svc-asr/core';
import type { PoolStatus } from './status.ts';

/** A pool of a model, with workers of its own or those of another model. */
export interface ModelPool {
  /** Sets the model. Undefined if it was deleted. `namespace` is then that of its resource, if it still exists. */
  setModel: (model: AsrModel | undefined, guests?: readonly AsrModel[], namespace?: string) => void;
  /** Reconciles the pool once. Resolves to false if the model was deleted and nothing is left of its pool. */
  reconcile: () => Promise<boolean>;
  publish: () => Promise<void>;
  workerEnded: (id: string) => void;
  markChanged: () => void;
  status: () => PoolStatus;
}
