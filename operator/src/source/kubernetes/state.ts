import { checkResource } from '@svc-asr/core';
import type { Problem, Resource } from '@svc-asr/core';
import type { KubeObject } from '@svc-asr/kubernetes';

/** What is known of one object. */
export interface ObjectState {
  /** The last state that was valid, with the newest metadata and status where it is the newest one; undefined: there was none, or it is deleted. */
  good: Resource | undefined;
  /** What is wrong with the newest state. */
  problems: readonly Problem[] | undefined;
  /** Which state was judged. */
  uid: string | undefined;
  generation: number | undefined;
  deleted: boolean;
}

/** Judges the newest state of an object in the light of the one before. */
export function judge(before: ObjectState | undefined, object: KubeObject): ObjectState {
  const { uid, generation, deletionTimestamp } = object.metadata;
  const of = { uid, generation, deleted: deletionTimestamp !== undefined };
  if (of.deleted) return { ...of, good: undefined, problems: undefined };
  // The spec of one generation does not change, so most news need no new judgement.
  if (before !== undefined && generation !== undefined && isSameState(before, of)) {
    if (before.good === undefined || before.problems !== undefined) return before;
    const { metadata, status } = object;
    return { ...before, good: { ...before.good, metadata, ...(status !== undefined && { status }) } as Resource };
  }
  const checked = checkResource(object);
  if (checked.ok) return { ...of, good: checked.value, problems: undefined };
  // What was made again under its name is another resource.
  const good = before?.uid === uid ? before?.good : undefined;
  return { ...of, good, problems: checked.problems };
}

/** Whether two states are of the same generation of the same object, deleted or not. */
export function isSameState(
  a: Pick<ObjectState, 'uid' | 'generation' | 'deleted'> | undefined,
  b: Pick<ObjectState, 'uid' | 'generation' | 'deleted'> | undefined,
): boolean {
  return a?.uid === b?.uid && a?.generation === b?.generation && a?.deleted === b?.deleted;
}
