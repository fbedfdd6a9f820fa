import { join, resolve } from 'node:path';
import { startKubernetes } from '../../../test/support/kubernetes.ts';
import type { Kubernetes } from '../../../test/support/kubernetes.ts';
import { eventually } from './eventually.ts';

/** Where the definitions of our resources lie. */
export const CRDS = resolve(import.meta.dirname, '../../../crds');
const PLURALS = ['asrmodels', 'tenants', 'apikeys'];
const SERVED_WITHIN_MS = 60_000;

/** Starts a Kubernetes API that serves our resources. */
export async function startTestCluster(): Promise<Kubernetes> {
  const cluster = await startKubernetes();
  await cluster.kubectl([
    'apply',
    '--server-side',
    ...PLURALS.flatMap((plural) => ['-f', join(CRDS, `${plural}.yaml`)]),
  ]);
  // A definition is served a moment after it is there, and kubectl finds it by its names a moment later still.
  for (const plural of PLURALS) {
    await eventually(() => cluster.kubectl(['get', plural, '--all-namespaces']), SERVED_WITHIN_MS);
  }
  return cluster;
}
