import type { KubeTools } from '../../tools/cluster/kube-tools.ts';
import { imageReference, readSetting } from './environment.ts';
import { startPortForward } from './port-forward.ts';
import type { PortForward } from './port-forward.ts';
import { NAMESPACE } from './harness.ts';
import { ACCESS_NAMESPACE, RELEASE } from './release.ts';

const POD = 'access';
const GATEWAY_PORT = 8443;
const ADMIN_PORT = 9443;
/**
 * Port of the admin API in versions that serve it over plain HTTP. An upgrade test may install such a version first.
 */
const PLAIN_ADMIN_PORT = 9090;

/** Services to which the access pod forwards connections. The keys are the ports of the pod. */
const ROUTES = {
  [GATEWAY_PORT]: { host: `${RELEASE}-gateway.${NAMESPACE}.svc`, port: 443 },
  [ADMIN_PORT]: { host: `${RELEASE}-console-admin.${NAMESPACE}.svc`, port: ADMIN_PORT },
  [PLAIN_ADMIN_PORT]: { host: `${RELEASE}-console-admin.${NAMESPACE}.svc`, port: PLAIN_ADMIN_PORT },
};

/**
 * Program of the access pod. If a connection to a Service fails, the program ends the client's connection without a
 * reset. A reset would make kubectl close all connections of the port-forward.
 */
const PROXY = `
const { connect, createServer } = require('node:net');
for (const [port, target] of Object.entries(${JSON.stringify(ROUTES)}))
  createServer({ allowHalfOpen: true }, (client) => {
    const server = connect({ ...target, allowHalfOpen: true });
    const end = () => { client.end(); client.resume(); };
    server.on('error', end).on('close', end);
    client.on('error', () => server.destroy()).on('close', () => server.destroy());
    client.pipe(server);
    server.pipe(client);
  }).listen(Number(port));
`;

/**
 * Starts a pod that forwards connections to the Services of the installation. Then forwards loopback ports to this pod.
 * A `kubectl port-forward` to a Service would pick one pod of the Service, and would end with that pod.
 */
export async function startAccess(tools: KubeTools): Promise<PortForward[]> {
  const labels = { 'app.kubernetes.io/name': 'svc-asr-e2e', 'app.kubernetes.io/component': POD };
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: POD, namespace: ACCESS_NAMESPACE, labels },
    spec: {
      nodeSelector: { 'kubernetes.io/hostname': readSetting('E2E_ACCESS_NODE') },
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 65_532 },
      containers: [{ name: POD, image: imageReference('svc-asr-gateway'), command: ['node', '-e', PROXY] }],
    },
  };
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: ACCESS_NAMESPACE } };
  const list = { apiVersion: 'v1', kind: 'List', items: [namespace, pod] };
  await tools.kubectl(['apply', '-f', '-'], { input: JSON.stringify(list) });
  await tools.kubectl(['-n', ACCESS_NAMESPACE, 'wait', `pod/${POD}`, '--for=condition=Ready', '--timeout=100s']);
  const target = { namespace: ACCESS_NAMESPACE, pod: POD };
  // Each port has its own kubectl process, because kubectl ends when a connection fails. A failed request to the admin
  // API therefore cannot interrupt a stream.
  return Promise.all([
    startPortForward(tools, { ...target, port: GATEWAY_PORT }, Number(readSetting('E2E_PORT'))),
    startPortForward(tools, { ...target, port: ADMIN_PORT }, Number(readSetting('E2E_ADMIN_PORT'))),
    startPortForward(tools, { ...target, port: PLAIN_ADMIN_PORT }, Number(readSetting('E2E_PLAIN_ADMIN_PORT'))),
  ]);
}
