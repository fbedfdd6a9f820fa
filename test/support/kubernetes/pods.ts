import type { V1Affinity } from '@kubernetes/client-node';
import { demand } from './request.ts';
import type { KubeRequest } from './request.ts';

/** The fields of a Pod that the fake kubelet uses. */
export interface TestPod {
  metadata: {
    name: string;
    namespace: string;
    uid: string;
    deletionTimestamp?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
  };
  spec: {
    nodeName?: string;
    affinity?: V1Affinity;
    terminationGracePeriodSeconds?: number;
    containers: { name: string; image: string; [field: string]: unknown }[];
    [field: string]: unknown;
  };
  status: { phase?: string; podIP?: string; [field: string]: unknown };
}

/** Returns the API path of a pod. */
export function podPath(namespace: string, name: string): string {
  return `/api/v1/namespaces/${namespace}/pods/${name}`;
}

/** Builds the status that a kubelet reports for a pod with running containers, ready or not. */
export function buildRunningStatus(pod: TestPod, ready: boolean, ip: string, now: Date): object {
  const at = `${now.toISOString().slice(0, 19)}Z`;
  const condition = (type: string, met: boolean) => ({
    type,
    status: met ? 'True' : 'False',
    lastTransitionTime: at,
  });
  return {
    phase: 'Running',
    startTime: at,
    podIP: ip,
    podIPs: [{ ip }],
    conditions: [
      condition('PodScheduled', true),
      condition('Initialized', true),
      condition('ContainersReady', ready),
      condition('Ready', ready),
    ],
    containerStatuses: pod.spec.containers.map(({ name, image }) => ({
      name,
      image,
      imageID: `test/${image}`,
      containerID: `test://${pod.metadata.uid}-${name}`,
      ready,
      started: true,
      restartCount: 0,
      state: { running: { startedAt: at } },
    })),
  };
}

/** Reports a pod as running, as a kubelet would. `ready: false` means that its readiness probe fails. */
export async function setPodReady(
  request: KubeRequest,
  namespace: string,
  name: string,
  { ready = true, ip }: { ready?: boolean; ip?: string } = {},
): Promise<void> {
  const pod = (await demand(request('GET', podPath(namespace, name)))) as TestPod;
  const status = buildRunningStatus(pod, ready, ip ?? pod.status.podIP ?? '10.244.0.1', new Date());
  // A strategic merge keeps the conditions that other controllers set.
  const type = 'application/strategic-merge-patch+json';
  await demand(request('PATCH', `${podPath(namespace, name)}/status`, { status }, type));
}
