import { API_VERSION } from '@svc-asr/core';
import type { KubeObject } from '@svc-asr/kubernetes';
import type { WorkerPod } from './pod.ts';

/** Returns the warning about a deleted pod that does not end, and the ASRModel that it belongs to if one is known. */
export function describeOverdue(
  { name, graceMs }: WorkerPod,
  deployments: readonly KubeObject[],
): { owner: KubeObject | undefined; message: string } {
  const [owner] = deployments.flatMap(({ metadata }) => metadata.ownerReferences ?? []);
  const message =
    `pod ${name} was deleted but has not ended long after its grace period of ${graceMs / 1000} s. ` +
    'The operator no longer waits for it. Its node may be down. If it is, delete the Node object, ' +
    `or run "kubectl delete pod ${name} --force"`;
  return {
    owner: owner && { apiVersion: API_VERSION, kind: owner.kind, metadata: { name: owner.name, uid: owner.uid } },
    message,
  };
}
