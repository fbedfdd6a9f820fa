import type { V1Container, V1EnvVar, V1ResourceRequirements, V1VolumeMount } from '@kubernetes/client-node';
import type { WorkerTemplate } from '../../runtime.ts';
import type { Installation } from '../installation.ts';
import { PATHS, PORTS } from '../installation.ts';
import { revisionName } from '../names.ts';

/** The container of a worker; the model's volumes are mounted as the artifact wants it. */
export function buildContainer(
  template: WorkerTemplate,
  installation: Installation,
  mounts: readonly V1VolumeMount[],
): V1Container {
  const { imagePullPolicy } = installation;
  return {
    name: 'worker',
    image: imageOf(template, installation),
    imagePullPolicy,
    ports: [
      { name: 'stream', containerPort: PORTS.stream, protocol: 'TCP' },
      { name: 'admin', containerPort: PORTS.admin, protocol: 'TCP' },
    ],
    envFrom: [{ configMapRef: { name: revisionName(template.model, template.revision) } }],
    env: [...POD_VARIABLES, ...ownVariables(template)],
    resources: buildResources(template),
    securityContext: containerSecurity(),
    // The process answers as soon as it runs, while the model is loaded; what never registers, the pool replaces.
    startupProbe: { ...probe('/livez'), periodSeconds: 2, failureThreshold: 60 },
    livenessProbe: { ...probe('/livez'), periodSeconds: 10, failureThreshold: 3 },
    readinessProbe: { ...probe('/readyz'), periodSeconds: 2, failureThreshold: 1 },
    terminationMessagePolicy: 'FallbackToLogsOnError',
    volumeMounts: [{ name: 'scratch', mountPath: PATHS.scratch }, ...secretMounts(installation), ...mounts],
  };
}

/** The image of a template's workers. */
export function imageOf({ worker }: WorkerTemplate, { image }: Installation): string {
  return worker.image ?? image;
}

/** What Pod Security "restricted" asks of every container, and a file system that nobody writes to. */
export function containerSecurity() {
  return { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } };
}

/** Secrets are for the group that containers run as; where the platform chooses it, for whoever is in the pod. */
export function secretMode({ userId }: Installation): number {
  return userId === 0 ? 0o444 : 0o440;
}

/** The pod's name is the worker's id. It listens on the pod's address, which it then tells gateways, be it IPv4 or IPv6. */
export const POD_VARIABLES: readonly V1EnvVar[] = [
  { name: 'WORKER_ID', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
  { name: 'HOST', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
  { name: 'ADMIN_HOST', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
];

/** What a model's resource gives its workers, in the form of a container's `env`. */
export function ownVariables({ worker }: WorkerTemplate): V1EnvVar[] {
  return worker.env ?? [];
}

function buildResources({ worker: { accelerator, resources } }: WorkerTemplate): V1ResourceRequirements {
  const device = accelerator && { [accelerator.resource]: String(accelerator.count) };
  const requests = { ...asText(resources?.requests), ...device };
  const limits = { ...asText(resources?.limits), ...device };
  return {
    ...(Object.keys(requests).length > 0 && { requests }),
    ...(Object.keys(limits).length > 0 && { limits }),
  };
}

function asText(quantities: Readonly<Record<string, string | number>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(quantities).map(([name, quantity]) => [name, String(quantity)]));
}

function probe(path: string) {
  return { httpGet: { path, port: 'admin', scheme: 'HTTP' }, timeoutSeconds: 5 };
}

function secretMounts({ tlsSecret, caSecret }: Installation): V1VolumeMount[] {
  const mount = (name: 'redis' | 'tickets' | 'tls' | 'ca') => ({ name, mountPath: PATHS[name], readOnly: true });
  return [
    mount('redis'),
    mount('tickets'),
    ...(tlsSecret === '' ? [] : [mount('tls')]),
    ...(caSecret === '' ? [] : [mount('ca')]),
  ];
}
