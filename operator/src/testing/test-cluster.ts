import { join, resolve } from 'node:path';
import { borrowKubernetes } from '../../../test/support/kubernetes.ts';
import type { Kubernetes } from '../../../test/support/kubernetes.ts';

/** Folder of the custom resource definitions. */
export const CRDS = resolve(import.meta.dirname, '../../../crds');
export const CRD_FILES = ['asrmodels', 'tenants', 'apikeys'].map((plural) => join(CRDS, `${plural}.yaml`));

/** Returns the Kubernetes API that the test files of a jest worker share. It serves our resources. */
export function startTestCluster(): Promise<Kubernetes> {
  return borrowKubernetes();
}
