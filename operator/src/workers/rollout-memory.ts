import type { RolloutState } from '@svc-asr/core';
import type { WorkerTemplate } from './runtime.ts';

/** How far the rollout of each model is, for the operator after this one. */
export interface RolloutMemory {
  /** Undefined: nothing is remembered. */
  get: (model: string) => RolloutState | undefined;
  put: (of: Pick<WorkerTemplate, 'model' | 'uid'>, state: RolloutState) => void;
}

/** A memory that ends with the operator. */
export function createRolloutMemory(): RolloutMemory {
  const states = new Map<string, RolloutState>();
  return {
    get: (model) => states.get(model),
    put: ({ model }, state) => void states.set(model, state),
  };
}
