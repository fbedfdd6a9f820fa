import { API_VERSION } from '@svc-asr/core';
import type { KubeObject } from '@svc-asr/kubernetes';
import type { WorkerPod } from './pod.ts';

/** What is told of a pod that does not end, and of whom: the model that its Deployments belong to, where one is known. */
export function describeOverdue(
  { name, graceMs }: WorkerPod,
  deployments: readonly KubeObject[],
): { owner: KubeObject | undefined; message: string } {
  const [found] = deployments.flatMap(({ metadata }) => metadata.ownerReferences ?? []);
  const message =
    `pod ${name} was deleted and has not ended though its ${graceMs / 1000} s are long over: nothing waits for it any more. ` +
    `Its node may be dead: where it is, remove the Node, or the pod with "kubectl delete pod ${name} --force"`;
  return {
    owner: found && { apiVersion: API_VERSION, kind: found.kind, metadata: { name: found.name, uid: found.uid } },
    message,
  };
}
