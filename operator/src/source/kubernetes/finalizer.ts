import type { Kind } from '@svc-asr/core';
import { KubernetesError, TYPES } from '@svc-asr/kubernetes';
import type { KubeApi, KubeObject } from '@svc-asr/kubernetes';

/** While it stands in a resource, the API server does not let it go. */
export const FINALIZER = 'asr.svc.dev/operator';

/** Others write into a resource now and then, not all the time. */
const TRIES = 5;

/** Whether the resource is held. */
export function isHeld(object: KubeObject): boolean {
  return object.metadata.finalizers?.includes(FINALIZER) === true;
}

/**
 * Adds the finalizer to a resource or takes it away; `known` is its state as far as is known. The finalizers of others
 * are one list with ours, so the write is guarded by the version that was read.
 */
export async function setHeld(
  api: Pick<KubeApi, 'get' | 'mergePatch'>,
  kind: Kind,
  name: string,
  held: boolean,
  known: KubeObject | undefined,
): Promise<void> {
  let object = known;
  for (let tries = 1; ; tries++) {
    // One that is being deleted takes no new finalizer.
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
