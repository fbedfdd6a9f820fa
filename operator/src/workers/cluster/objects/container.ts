import type { V1Container, V1EnvVar, V1ResourceRequirements, V1VolumeMount } from '@kubernetes/client-node';
import type { WorkerTemplate } from '../../template.ts';
import type { Installation } from '../installation.ts';
import { PATHS, PORTS } from '../installation.ts';
import { revisionName } from '../names.ts';

/** Builds the worker container, with the volume mounts of its artifact. */
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
    envFrom: [{ configMapRef: { name: revisionName(template.model, template.revision, template.tier) } }],
    env: [...POD_VARIABLES, ...ownVariables(template)],
    resources: buildResources(template),
    securityContext: containerSecurity(),
    // The process is live as soon as it runs, even before the model is loaded. The pool replaces workers that never
    // register.
    startupProbe: { ...probe('/livez'), periodSeconds: 2, failureThreshold: 60 },
    livenessProbe: { ...probe('/livez'), periodSeconds: 10, failureThreshold: 3 },
    readinessProbe: { ...probe('/readyz'), periodSeconds: 2, failureThreshold: 1 },
    terminationMessagePolicy: 'FallbackToLogsOnError',
    volumeMounts: [{ name: 'scratch', mountPath: PATHS.scratch }, ...secretMounts(installation), ...mounts],
  };
}

/** Returns the image of a template's workers. */
export function imageOf({ worker }: WorkerTemplate, { image }: Installation): string {
  return worker.image ?? image;
}

/** Builds the security context of a container: Pod Security "restricted", and a read-only root file system. */
export function containerSecurity() {
  return { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } };
}

/**
 * Returns the file mode of secrets: readable by the group of the containers, or by all users if the platform chooses
 * the group.
 */
export function secretMode({ userId }: Installation): number {
  return userId === 0 ? 0o444 : 0o440;
}

/**
 * Variables that differ between pods. The pod name is the worker id. The worker listens on and announces the pod IP.
 */
export const POD_VARIABLES: readonly V1EnvVar[] = [
  { name: 'WORKER_ID', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
  { name: 'HOST', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
  { name: 'ADMIN_HOST', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
];

/** Returns `spec.worker.env` of a model. */
export function ownVariables({ worker }: WorkerTemplate): V1EnvVar[] {
  return worker.env ?? [];
}

function buildResources({ worker }: WorkerTemplate): V1ResourceRequirements {
  const { accelerator, resources, resourceClaims = [] } = worker;
  const device = accelerator && { [accelerator.resource]: String(accelerator.count) };
  const requests = { ...asText(resources?.requests), ...device };
  const limits = { ...asText(resources?.limits), ...device };
  return {
    ...(Object.keys(requests).length > 0 && { requests }),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(resourceClaims.length > 0 && {
      claims: resourceClaims.map(({ name, request }) => ({ name, ...(request !== undefined && { request }) })),
    }),
  };
}

function asText(quantities: Readonly<Record<string, string | number>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(quantities).map(([name, quantity]) => [name, String(quantity)]));
}

function probe(path: string) {
  return { httpGet: { path, port: 'admin', scheme: 'HTTP' }, timeoutSeconds: 5 };
}

function secretMounts({ tls, caSecret }: Installation): V1VolumeMount[] {
  const mount = (name: 'redis' | 'tickets' | 'tls' | 'ca') => ({ name, mountPath: PATHS[name], readOnly: true });
  return [mount('redis'), mount('tickets'), ...(tls ? [mount('tls')] : []), ...(caSecret === '' ? [] : [mount('ca')])];
}
