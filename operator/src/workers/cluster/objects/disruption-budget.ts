import type { V1PodDisruptionBudget } from '@kubernetes/client-node';
import type { WorkerTemplate } from '../../runtime.ts';
import { buildMetadata } from './metadata.ts';
import type { Installation } from '../installation.ts';
import { LABELS, sharedName } from '../names.ts';

/**
 * How many workers of a model may be evicted at a time, so that the streams that move find slots elsewhere. One always
 * may: a minimum of available ones would hold up the drain of a node for ever where a pool has just that many.
 */
export function buildDisruptionBudget(template: WorkerTemplate, { maxUnavailable }: Installation) {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: buildMetadata(template, sharedName(template.model)),
    spec: {
      maxUnavailable,
      // Who takes no sessions protects none.
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
      selector: { matchLabels: { [LABELS.model]: template.model } },
    },
  } satisfies V1PodDisruptionBudget;
}
