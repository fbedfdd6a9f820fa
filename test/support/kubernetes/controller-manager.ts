import type { KubeRequest } from './request.ts';
import { startServer } from './server.ts';
import type { Place, Server } from './server.ts';

/** What makes Deployments roll, disruption budgets count and owned objects go with their owner. */
const CONTROLLERS = [
  'deployment-controller',
  'replicaset-controller',
  'disruption-controller',
  'endpointslice-controller',
  'garbage-collector-controller',
  'namespace-controller',
  'serviceaccount-controller',
];

const DEFAULT_ACCOUNT = '/api/v1/namespaces/default/serviceaccounts/default';

/** Starts kube-controller-manager and waits until it does its work. */
export async function startControllerManager(
  command: string,
  kubeconfig: string,
  request: KubeRequest,
  place: Place,
): Promise<Server> {
  return startServer(
    {
      name: 'kube-controller-manager',
      command,
      args: controllerManagerArguments(kubeconfig),
      // The first thing that is seen of it.
      isReady: async () => (await request('GET', DEFAULT_ACCOUNT).catch(() => undefined))?.status === 200,
    },
    place,
  );
}

function controllerManagerArguments(kubeconfig: string): string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    `--controllers=${CONTROLLERS.join(',')}`,
    '--leader-elect=false',
    '--secure-port=0',
    // The default of 20 requests per second is what a big cluster needs to be spared from.
    '--kube-api-qps=500',
    '--kube-api-burst=1000',
  ];
}
