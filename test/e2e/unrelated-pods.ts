import { imageReference } from './environment.ts';
import { NAMESPACE } from './harness.ts';
import type { Harness } from './harness.ts';

/** A namespace that is not part of the installation. */
export const OTHER_NAMESPACE = 'svc-asr-e2e-other';
/** Ports that unrelated pods listen on: an arbitrary one, and the one of Redis. */
export const UNRELATED_PORTS = [8080, 6379] as const;

/** Program that answers like Redis, so that a Redis client that can connect to it reports success. */
const PROGRAM = `
for (const port of [${UNRELATED_PORTS.join()}])
  require('node:net').createServer((s) => s.on('error', () => 0).on('data', () => s.write('+PONG\\r\\n'))).listen(port)`;

/** Builds a pod that is not part of the installation. It uses an image that the nodes already have. */
function buildPod(namespace: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'unrelated', namespace, labels: { 'app.kubernetes.io/component': 'unrelated' } },
    spec: {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 65_532, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          name: 'unrelated',
          image: imageReference('svc-asr-gateway'),
          command: ['node', '-e', PROGRAM],
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        },
      ],
    },
  };
}

/** Starts an unrelated pod in the namespace of the installation and one in another namespace. */
export async function startUnrelatedPods({ tools }: Harness): Promise<void> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: OTHER_NAMESPACE } };
  const items = [namespace, buildPod(NAMESPACE), buildPod(OTHER_NAMESPACE)];
  await tools.kubectl(['apply', '-f', '-'], { input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }) });
  for (const place of [NAMESPACE, OTHER_NAMESPACE]) {
    await tools.kubectl(['-n', place, 'wait', 'pod/unrelated', '--for=condition=Ready', '--timeout=100s']);
  }
}

/** Deletes the unrelated pod in the namespace of the installation, and OTHER_NAMESPACE with the other pod. */
export async function removeUnrelatedPods({ tools }: Harness): Promise<void> {
  await tools.kubectl(['-n', NAMESPACE, 'delete', 'pod/unrelated', '--ignore-not-found']);
  await tools.kubectl(['delete', 'namespace', OTHER_NAMESPACE, '--ignore-not-found', '--wait=false']);
}
