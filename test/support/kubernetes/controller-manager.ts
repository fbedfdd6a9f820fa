import type { KubeRequest } from './request.ts';
import { startServer } from './server.ts';
import type { Place, Server } from './server.ts';

/** Controllers that the tests need. No others run. */
const CONTROLLERS = [
  'clusterrole-aggregation-controller',
  'deployment-controller',
  'replicaset-controller',
  'disruption-controller',
  'endpointslice-controller',
  'garbage-collector-controller',
  'namespace-controller',
  'serviceaccount-controller',
];

const DEFAULT_ACCOUNT = '/api/v1/namespaces/default/serviceaccounts/default';

/** Starts kube-controller-manager and waits until it works. */
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
      // The creation of this account is the first visible effect of the controllers.
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
    // The default of 20 requests per second protects large clusters and only slows the tests down.
    '--kube-api-qps=500',
    '--kube-api-burst=1000',
  ];
}
