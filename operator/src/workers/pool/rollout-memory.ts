import type { RolloutState } from '@svc-asr/core';
import type { WorkerTemplate } from '../runtime.ts';

/** How far the rollout of each model is, for the operator after this one. */
export interface RolloutMemory {
  /** Undefined: nothing is remembered. */
  get: (model: string) => RolloutState | undefined;
  put: (of: Pick<WorkerTemplate, 'model' | 'uid'>, state: RolloutState) => void;
}

/**
 * A memory that ends with the operator, for workers that are processes of this machine. They end with it, too, and what
 * the revision before was made from is nowhere any more: an operator that starts anew could not go back to it. It gives
 * a revision that was taken back another try, rather than serve nobody. A cluster keeps both, in objects of the model.
 */
export function createRolloutMemory(): RolloutMemory {
  const states = new Map<string, RolloutState>();
  return {
    get: (model) => states.get(model),
    put: ({ model }, state) => void states.set(model, state),
  };
}
