import type { V1ServiceAccount } from '@kubernetes/client-node';
import type { WorkerTemplate } from '../../runtime.ts';
import { buildMetadata } from './metadata.ts';
import { sharedName } from '../names.ts';

/** Who the workers of a model are: nobody to the Kubernetes API, somebody to a cloud that knows ServiceAccounts. */
export function buildServiceAccount(template: WorkerTemplate) {
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: buildMetadata(template, sharedName(template.model)),
    automountServiceAccountToken: false,
  } satisfies V1ServiceAccount;
}
