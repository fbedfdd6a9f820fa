import type { V1Deployment } from '@kubernetes/client-node';
import type { WorkerTemplate } from '../../template.ts';
import { buildMetadata } from './metadata.ts';
import { buildPodTemplate } from './pod-template.ts';
import type { Installation } from '../installation.ts';
import { revisionName, selectorOf } from '../names.ts';

/** Progress deadline of a Deployment. It allows for the download of images and models of several gigabytes. */
const PROGRESS_DEADLINE_SECONDS = 3600;

/**
 * Builds the Deployment of one revision, or of one of its tiers. The operator never changes the pod template of a
 * Deployment. A different pod template results in a new revision, which gets its own Deployment. The strategy applies
 * when an administrator runs "kubectl rollout restart". No worker then stops before its replacement is ready.
 */
export function buildDeployment(template: WorkerTemplate, installation: Installation, replicas: number) {
  const { model, revision, tier } = template;
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: buildMetadata(template, revisionName(model, revision, tier), revision, tier),
    spec: {
      replicas,
      revisionHistoryLimit: 1,
      progressDeadlineSeconds: PROGRESS_DEADLINE_SECONDS,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      selector: { matchLabels: selectorOf(template) },
      template: buildPodTemplate(template, installation),
    },
  } satisfies V1Deployment;
}
