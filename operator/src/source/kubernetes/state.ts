import { checkReconciled } from '@svc-asr/core';
import type { Problem, ReconciledResource } from '@svc-asr/core';
import type { KubeObject } from '@svc-asr/kubernetes';

/** State of one object. */
export interface ObjectState {
  /**
   * Last valid version. It has the newest metadata and status if it is the newest generation. Undefined if there is
   * none, or if the object is being deleted.
   */
  good: ReconciledResource | undefined;
  /** Problems of the newest version. Undefined if there are none, or if the object is being deleted. */
  problems: readonly Problem[] | undefined;
  /** Together with `generation`, identifies the version of the object that was validated. */
  uid: string | undefined;
  generation: number | undefined;
  deleted: boolean;
}

/** Validates the newest version of an object. `before` is the previous state. */
export function judge(before: ObjectState | undefined, object: KubeObject): ObjectState {
  const { uid, generation, deletionTimestamp } = object.metadata;
  const of = { uid, generation, deleted: deletionTimestamp !== undefined };
  if (of.deleted) return { ...of, good: undefined, problems: undefined };
  // The spec of a generation does not change, so most updates need no validation.
  if (before !== undefined && generation !== undefined && isSameState(before, of)) {
    if (before.good === undefined || before.problems !== undefined) return before;
    return { ...before, good: withSpec(object, before.good) };
  }
  const checked = checkReconciled(object);
  if (checked.ok) return { ...of, good: withSpec(object, checked.value), problems: undefined };
  // A recreated object is a different resource, so the last valid version of the deleted object does not apply to it.
  const good = before?.uid === uid ? before?.good : undefined;
  return { ...of, good, problems: checked.problems };
}

/** Returns the object as a resource with a validated spec. It shares metadata and status with the object. */
function withSpec(object: KubeObject, { spec }: ReconciledResource): ReconciledResource {
  return { ...object, spec } as unknown as ReconciledResource;
}

/** Returns whether two states belong to the same generation of the same object, and agree on its deletion. */
export function isSameState(
  a: Pick<ObjectState, 'uid' | 'generation' | 'deleted'> | undefined,
  b: Pick<ObjectState, 'uid' | 'generation' | 'deleted'> | undefined,
): boolean {
  return a?.uid === b?.uid && a?.generation === b?.generation && a?.deleted === b?.deleted;
}
