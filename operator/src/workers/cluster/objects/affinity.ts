import type { V1Affinity } from '@kubernetes/client-node';
import type { WorkerTemplate } from '../../template.ts';
import { LABELS } from '../names.ts';

/**
 * Builds the affinity of worker pods. It adds a rule to the affinity of the model. The rule keeps pods off nodes with a
 * sick pod of the same model and tier. Every pod has the rule from the start, because adding it later would change the
 * pod template and replace all pods.
 */
export function buildAffinity({ model, tier, worker }: WorkerTemplate): V1Affinity {
  const { podAntiAffinity } = worker.affinity ?? {};
  const selector = { [LABELS.model]: model, ...(tier !== undefined && { [LABELS.tier]: tier }) };
  return {
    ...worker.affinity,
    podAntiAffinity: {
      ...podAntiAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: [
        ...(podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
        {
          topologyKey: 'kubernetes.io/hostname',
          labelSelector: {
            matchLabels: selector,
            matchExpressions: [{ key: LABELS.sick, operator: 'Exists' }],
          },
        },
      ],
    },
  };
}
