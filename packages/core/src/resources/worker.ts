import Type from 'typebox';
import type { Static } from 'typebox';
import { Affinity } from './affinity.ts';
import type { Problem } from '../validate.ts';
import { ATOMIC_LIST, ATOMIC_MAP, exactlyOneOf, mapBy, rules } from './extensions.ts';
import { closed, nameOf } from './metadata.ts';
import { EnvVar, LabelValue, mapOf, notReserved, quantities, Toleration } from './pod.ts';

export const accelerator = closed(
  {
    resource: Type.String({
      maxLength: 317,
      pattern: '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?/[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$',
      default: 'nvidia.com/gpu',
      description:
        'Resource name of the device plugin, such as nvidia.com/gpu, nvidia.com/mig-1g.10gb or nvidia.com/gpu.shared.',
    }),
    count: Type.Integer({ minimum: 1, maximum: 64, default: 1, description: 'Number of accelerators per worker.' }),
  },
  { description: 'Accelerator of a worker. If omitted, workers have none.' },
);

export const resources = closed(
  {
    requests: Type.Optional(quantities('Minimum resources of a worker.')),
    limits: Type.Optional(quantities('Maximum resources of a worker.')),
  },
  { description: 'Compute resources of the worker container.' },
);

const CLAIM_SOURCES = ['resourceClaimTemplateName', 'resourceClaimName'] as const;

/** Claims of dynamic resource allocation (DRA), in the format of a pod. The worker container uses all of them. */
export const resourceClaims = Type.Array(
  closed(
    {
      name: nameOf('Name of the claim in the pod.'),
      resourceClaimTemplateName: Type.Optional(
        nameOf('ResourceClaimTemplate in the same namespace. Each pod gets its own claim.'),
      ),
      resourceClaimName: Type.Optional(nameOf('ResourceClaim in the same namespace. All pods share it.')),
      request: Type.Optional(
        nameOf('Request of the claim that the worker uses. If omitted, it uses all requests of the claim.'),
      ),
    },
    {
      description: 'A claim of the pods.',
      ...rules({
        rule: exactlyOneOf(CLAIM_SOURCES),
        message: `a resource claim needs exactly one source: keep one of ${CLAIM_SOURCES.join(', ')}`,
      }),
    },
  ),
  {
    maxItems: 8,
    description:
      'Claims for devices by dynamic resource allocation (DRA). They need Kubernetes 1.34 or later and a DRA driver.',
    ...mapBy('name'),
  },
);

/**
 * Returns the problems of resource claims that their schema cannot detect. The API server checks the same rules with
 * the CRD.
 */
export function findClaimProblems({ resourceClaims: claims = [] }: Pick<WorkerSpec, 'resourceClaims'>): Problem[] {
  const names = claims.map(({ name }) => name);
  const duplicate = names.find((name, at) => names.indexOf(name) !== at);
  const problems =
    duplicate === undefined ? [] : [{ field: 'resourceClaims', message: `has the name "${duplicate}" twice` }];
  const unclear = claims.findIndex(
    (claim) => CLAIM_SOURCES.filter((source) => claim[source] !== undefined).length !== 1,
  );
  if (unclear === -1) return problems;
  const message = `must have exactly one of ${CLAIM_SOURCES.join(', ')}`;
  return [...problems, { field: `resourceClaims.${unclear}`, message }];
}

export const provider = Type.String({
  pattern: '^[a-z][a-z0-9]*$',
  maxLength: 32,
  default: 'cpu',
  description: 'ONNX Runtime execution provider: cpu, cuda, …',
});

export const nodeSelector = mapOf(LabelValue, 64, {
  description: 'Labels of the nodes that the pods may run on.',
  ...ATOMIC_MAP,
});

export const tolerations = Type.Array(Toleration, {
  maxItems: 32,
  description: 'Tolerations of the pods.',
  ...ATOMIC_LIST,
});

export const WorkerSpec = closed(
  {
    provider,
    accelerator: Type.Optional(accelerator),
    resources: Type.Optional(resources),
    resourceClaims: Type.Optional(resourceClaims),
    slots: Type.Integer({
      minimum: 0,
      maximum: 100_000,
      default: 0,
      description:
        'Slots of one worker. With 0, each worker measures its capacity before it is ready, which takes 5 to 22 s.',
    }),
    image: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description:
          'Image of the worker. Defaults to the image of the installation. Images of other repositories must be in worker.allowedImages of the chart.',
      }),
    ),
    nodeSelector: Type.Optional(nodeSelector),
    tolerations: Type.Optional(tolerations),
    affinity: Type.Optional(Affinity),
    runtimeClassName: Type.Optional(nameOf('RuntimeClass of the pods.')),
    priorityClassName: Type.Optional(nameOf('PriorityClass of the pods.')),
    env: Type.Optional(
      Type.Array(EnvVar, {
        maxItems: 64,
        description:
          'Additional environment variables of the worker. Variables that the operator sets, and those that load code or change the identity of the worker (NODE_*, LD_*, …), are refused.',
        ...mapBy('name'),
      }),
    ),
    podLabels: Type.Optional(
      mapOf(LabelValue, 64, { description: 'Additional labels of the pods.', ...notReserved('keys of podLabels') }),
    ),
    podAnnotations: Type.Optional(
      mapOf(Type.String({ maxLength: 65_536 }), 64, {
        description: 'Additional annotations of the pods.',
        ...notReserved('keys of podAnnotations'),
      }),
    ),
  },
  {
    default: {},
    description: 'Configuration of the workers. A change creates a new revision, which replaces the old one.',
  },
);
export type WorkerSpec = Static<typeof WorkerSpec>;
