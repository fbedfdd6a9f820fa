import type { V1PodDisruptionBudget } from '@kubernetes/client-node';
import type { WorkerTemplate } from '../../template.ts';
import { buildMetadata } from './metadata.ts';
import { LABELS, sharedName } from '../names.ts';

/** Value of `maxUnavailable` that never delays an eviction. */
const UNLIMITED = '100%';

/**
 * Builds the limit of simultaneous evictions. It is a number of ready pods that must stay, which the operator updates.
 * A number of unavailable pods would also count pods that have not started, and would then protect too many.
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
      // Pods that are not ready have no streams to protect, or move them already.
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
  // Kubernetes rounds the percentage of a PodDisruptionBudget up, too.
  const most =
    typeof maxUnavailable === 'number'
      ? maxUnavailable
      : Math.ceil((ready * Number.parseInt(maxUnavailable, 10)) / 100);
  return Math.max(0, ready - Math.min(evictable, most));
}
