import type { AsrModel } from '@svc-asr/core';
import type { ScaleUpdate } from '../runtime.ts';

/**
 * Decides whether the operator has to change `spec.scaling.replicas` of a model. Returns undefined if it does not. In
 * the mode External, the operator changes nothing while `max` is 0.
 *
 * | mode     | replicas | new value of the field                                                   |
 * |----------|----------|--------------------------------------------------------------------------|
 * | External | unset    | current number, at least 1, because an autoscaler ignores 0 and unset     |
 * | External | set      | unchanged, because only the autoscaler writes the field                   |
 * | Sessions | set      | unset, because the next autoscaler would otherwise start from this number |
 * | Sessions | unset    | unchanged                                                                 |
 */
export function decideScaleUpdate(model: AsrModel | undefined, desired: number): ScaleUpdate | undefined {
  if (model === undefined) return undefined;
  const { uid, generation } = model.metadata;
  const { mode, replicas, max } = model.spec.scaling;
  if (mode !== 'External') return replicas === undefined ? undefined : { uid, generation, replicas: null };
  if (replicas !== undefined || max === 0) return undefined;
  return { uid, generation, replicas: Math.max(1, desired) };
}
