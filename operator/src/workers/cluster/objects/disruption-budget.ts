import type { V1PodDisruptionBudget } from '@kubernetes/client-node';
import type { WorkerTemplate } from '../../template.ts';
import { buildMetadata } from './metadata.ts';
import { LABELS, sharedName } from '../names.ts';

/** Value of `maxUnavailable` that never delays an eviction. */
const UNLIMITED = '100%';

/**
 * Builds the PodDisruptionBudget of a model. A limit on evictions is set as `minAvailable`, which is the number of
 * ready pods that must stay. The operator updates this number. With a `maxUnavailable` below 100 %, Kubernetes would
 * count pods that have not started as unavailable. It would then protect too many of the ready pods.
 */
export function buildDisruptionBudget(
  owner: Pick<WorkerTemplate, 'model' | 'uid'>,
  limit: { minAvailable: number } | { maxUnavailable: number | string },
) {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: buildMetadata(owner, sharedName(owner.model)),
    spec: {
      ...limit,
      // A pod that is not ready has no streams to protect, or its streams are already moving.
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
      selector: { matchLabels: { [LABELS.model]: owner.model } },
    },
  } satisfies V1PodDisruptionBudget;
}

/**
 * Returns how many of the ready pods must stay. At most `evictable` of them may be evicted, and at most
 * `maxUnavailable`. Undefined if evictions are not limited.
 */
export function countProtected(ready: number, evictable: number, maxUnavailable: number | string): number | undefined {
  if (maxUnavailable === UNLIMITED) return undefined;
  // The percentage is rounded up, as Kubernetes does it for a PodDisruptionBudget.
  const most =
    typeof maxUnavailable === 'number'
      ? maxUnavailable
      : Math.ceil((ready * Number.parseInt(maxUnavailable, 10)) / 100);
  return Math.max(0, ready - Math.min(evictable, most));
}
