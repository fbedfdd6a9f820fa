import { NAMESPACE } from './stage.ts';
import type { Stage } from './stage.ts';

/** A namespace that has nothing to do with the installation. */
export const ELSEWHERE = 'strangers';
/** Where strangers listen: anywhere, and where a Redis would. */
export const STRANGER_PORTS = [8080, 6379] as const;

const LISTEN = `for (const port of [${STRANGER_PORTS.join()}]) require('node:net').createServer((s) => s.on('error', () => 0)).listen(port)`;

/** A pod that is no part of the installation, and has the image of one, for it is there already. */
function buildStranger(namespace: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'stranger', namespace, labels: { 'app.kubernetes.io/component': 'stranger' } },
    spec: {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 65_532, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          name: 'stranger',
          image: `localhost/svc-asr-gateway:${process.env.E2E_TAG ?? ''}`,
          imagePullPolicy: 'Never',
          command: ['node', '-e', LISTEN],
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        },
      ],
    },
  };
}

/** Starts a stranger beside the installation and one elsewhere. */
export async function startStrangers({ cluster }: Stage): Promise<void> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: ELSEWHERE } };
  const items = [namespace, buildStranger(NAMESPACE), buildStranger(ELSEWHERE)];
  await cluster.kubectl(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  for (const place of [NAMESPACE, ELSEWHERE]) {
    await cluster.kubectl(['-n', place, 'wait', 'pod/stranger', '--for=condition=Ready', '--timeout=100s']);
  }
}

/** Removes them. */
export async function removeStrangers({ cluster }: Stage): Promise<void> {
  await cluster.kubectl(['-n', NAMESPACE, 'delete', 'pod/stranger', '--ignore-not-found']);
  await cluster.kubectl(['delete', 'namespace', ELSEWHERE, '--ignore-not-found']);
}
