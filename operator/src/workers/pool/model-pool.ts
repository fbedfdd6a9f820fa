import type { AsrModel } from '@svc-asr/core';
import type { PoolStatus } from './status.ts';

/** The pool of a model. A guest uses the workers of its host. Any other model has workers of its own. */
export interface ModelPool {
  /**
   * Sets the model and the guests that its workers serve. The model is undefined if it was deleted or is being deleted.
   * `namespace` is then the namespace of its ASRModel, or undefined if the ASRModel no longer exists.
   */
  setModel: (model: AsrModel | undefined, guests?: readonly AsrModel[], namespace?: string) => void;
  /** Reconciles the pool once. Resolves to false if the model was deleted and nothing is left of its pool. */
  reconcile: () => Promise<boolean>;
  publish: () => Promise<void>;
  workerEnded: (id: string) => void;
  markChanged: () => void;
  status: () => PoolStatus;
}
