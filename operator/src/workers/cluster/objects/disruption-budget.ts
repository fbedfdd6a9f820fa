import type { V1PodDisruptionBudget } from '@kubernetes/client-node';
import type { WorkerTemplate } from '../../template.ts';
import { buildMetadata } from './metadata.ts';
import type { Installation } from '../installation.ts';
import { LABELS, sharedName } from '../names.ts';

/**
 * Builds the limit of simultaneous evictions, so that evicted streams find free slots on other workers. The limit is a
 * maximum of unavailable pods. A minimum of available pods could block the drain of a node forever.
 */
export function buildDisruptionBudget(template: WorkerTemplate, { maxUnavailable }: Installation) {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: buildMetadata(template, sharedName(template.model)),
    spec: {
      maxUnavailable,
      // Pods that are not ready have no streams to protect.
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
      selector: { matchLabels: { [LABELS.model]: template.model } },
    },
  } satisfies V1PodDisruptionBudget;
}
