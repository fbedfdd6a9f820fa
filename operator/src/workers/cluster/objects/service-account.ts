import type { V1ServiceAccount } from '@kubernetes/client-node';
import type { WorkerTemplate } from '../../template.ts';
import { buildMetadata } from './metadata.ts';
import { sharedName } from '../names.ts';

/**
 * Builds the ServiceAccount of a model's workers. It has no rights in Kubernetes. An administrator can map it to a role
 * of the cloud provider.
 */
export function buildServiceAccount(template: WorkerTemplate) {
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: buildMetadata(template, sharedName(template.model)),
    automountServiceAccountToken: false,
  } satisfies V1ServiceAccount;
}
