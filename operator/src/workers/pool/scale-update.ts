import type { AsrModel } from '@svc-asr/core';
import type { ScaleUpdate } from '../runtime.ts';

/**
 * Decides whether the operator has to change `spec.scaling.replicas` of a model. Returns undefined if it does not. In
 * the mode External, it changes nothing while `max` is 0.
 *
 * | mode     | replicas | result                                                                            |
 * |----------|----------|-----------------------------------------------------------------------------------|
 * | External | unset    | the current number, at least 1: an autoscaler ignores a resource at 0 or unset     |
 * | External | set      | none: the autoscaler owns the field                                                |
 * | Sessions | set      | removed: it has no effect, and the next autoscaler would start from the old number |
 * | Sessions | unset    | none                                                                               |
 */
export function decideScaleUpdate(model: AsrModel | undefined, desired: number): ScaleUpdate | undefined {
  if (model === undefined) return undefined;
  const { uid, generation } = model.metadata;
  const { mode, replicas, max } = model.spec.scaling;
  if (mode !== 'External') return replicas === undefined ? undefined : { uid, generation, replicas: null };
  if (replicas !== undefined || max === 0) return undefined;
  return { uid, generation, replicas: Math.max(1, desired) };
}
