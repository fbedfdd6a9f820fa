import type { V1Deployment } from '@kubernetes/client-node';
import type { WorkerTemplate } from '../../runtime.ts';
import { buildMetadata } from './metadata.ts';
import { buildPodTemplate } from './pod-template.ts';
import type { Installation } from '../installation.ts';
import { LABELS, revisionName } from '../names.ts';

/** Images and models of several gigabytes are waited for. */
const PROGRESS_DEADLINE_SECONDS = 3600;

/**
 * The workers of one revision. Its pods are never changed: other pods are another revision with a Deployment of its own,
 * and the operator moves from one to the other. The strategy is for people who restart a Deployment by hand: nobody
 * goes before its successor is ready.
 */
export function buildDeployment(template: WorkerTemplate, installation: Installation, replicas: number) {
  const { model, revision } = template;
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: buildMetadata(template, revisionName(model, revision), revision),
    spec: {
      replicas,
      revisionHistoryLimit: 1,
      progressDeadlineSeconds: PROGRESS_DEADLINE_SECONDS,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      selector: { matchLabels: { [LABELS.model]: model, [LABELS.revision]: revision } },
      template: buildPodTemplate(template, installation),
    },
  } satisfies V1Deployment;
}
