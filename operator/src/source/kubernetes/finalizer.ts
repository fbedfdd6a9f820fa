import type { ReconciledKind } from '@svc-asr/core';
import { KubernetesError, TYPES } from '@svc-asr/kubernetes';
import type { KubeApi, KubeObject } from '@svc-asr/kubernetes';

/** Finalizer that keeps a deleted resource until the operator has cleaned up. */
export const FINALIZER = 'asr.svc.dev/operator';

/** Maximum number of attempts. Conflicts with other writers are rare. */
const TRIES = 5;

/** Returns whether the resource has our finalizer. */
export function isHeld(object: KubeObject): boolean {
  return object.metadata.finalizers?.includes(FINALIZER) === true;
}

/**
 * Adds or removes our finalizer. `known` is the last observed object. Finalizers of all controllers share one list, so
 * the write is conditional on the resourceVersion that was read.
 */
export async function setHeld(
  api: Pick<KubeApi, 'get' | 'mergePatch'>,
  kind: ReconciledKind,
  name: string,
  held: boolean,
  known: KubeObject | undefined,
): Promise<void> {
  let object = known;
  for (let tries = 1; ; tries++) {
    // An object that is being deleted accepts no new finalizer.
    if (object === undefined || isHeld(object) === held || (held && object.metadata.deletionTimestamp !== undefined)) {
      return;
    }
    const { resourceVersion, uid, finalizers = [] } = object.metadata;
    const others = finalizers.filter((finalizer) => finalizer !== FINALIZER);
    const next = held ? [...others, FINALIZER] : others;
    try {
      await api.mergePatch(TYPES[kind], name, { metadata: { resourceVersion, uid, finalizers: next } });
      return;
    } catch (error) {
      const { status } = error instanceof KubernetesError ? error : { status: 0 };
      if (status === 404) return;
      if (status !== 409 || tries === TRIES) throw error;
      object = await api.get(TYPES[kind], name);
    }
  }
}
