import type { AsrModel } from '@svc-asr/core';

/** What `scaling.replicas` of a model is to become, and which state of the model that was decided for. */
export interface ScaleUpdate {
  uid: string | undefined;
  generation: number | undefined;
  /** Null: it is to go. */
  replicas: number | null;
}

/**
 * Decides whether the operator has to write how many workers a model says it has; undefined: it does not. The scale of a
 * resource without replicas cannot be read, so whatever is to drive it needs some to start from. What is left of them
 * where sessions decide has no effect, and would be the start of the next one that drives it.
 */
export function decideScaleUpdate(model: AsrModel | undefined, desired: number): ScaleUpdate | undefined {
  if (model === undefined) return undefined;
  const { uid, generation } = model.metadata;
  const { mode, replicas, max } = model.spec.scaling;
  if (mode !== 'External') return replicas === undefined ? undefined : { uid, generation, replicas: null };
  if (replicas !== undefined || max === 0) return undefined;
  // An autoscaler takes none at zero.
  return { uid, generation, replicas: Math.max(1, desired) };
}
