import Type from 'typebox';
import type { Static } from 'typebox';
import { Affinity } from './affinity.ts';
import { ATOMIC_LIST, ATOMIC_MAP, mapBy } from './extensions.ts';
import { closed, nameOf } from './metadata.ts';
import { EnvVar, LabelValue, mapOf, notReserved, quantities, Toleration } from './pod.ts';

const accelerator = closed(
  {
    resource: Type.String({
      maxLength: 317,
      pattern: '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?/[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$',
      default: 'nvidia.com/gpu',
      description: 'Name of the resource that the device plugin offers.',
    }),
    count: Type.Integer({ minimum: 1, maximum: 64, default: 1, description: 'How many of them a worker gets.' }),
  },
  { description: 'The accelerator of a worker; without it a worker has none.' },
);

const resources = closed(
  {
    requests: Type.Optional(quantities('What a worker is sure to get.')),
    limits: Type.Optional(quantities('What a worker may use at most.')),
  },
  { description: 'Processor and memory of a worker, as for any container.' },
);

export const WorkerSpec = closed(
  {
    provider: Type.String({
      pattern: '^[a-z][a-z0-9]*$',
      maxLength: 32,
      default: 'cpu',
      description: 'ONNX Runtime execution provider: cpu, cuda, …',
    }),
    accelerator: Type.Optional(accelerator),
    resources: Type.Optional(resources),
    slots: Type.Integer({
      minimum: 0,
      maximum: 100_000,
      default: 0,
      description: 'Sessions that one worker takes; 0: each measures it before it is ready, for 4 to 20 s.',
    }),
    image: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description: "Image of the worker; the installation's when left out.",
      }),
    ),
    nodeSelector: Type.Optional(
      mapOf(LabelValue, 64, { description: 'Labels of the nodes that the pods may run on.', ...ATOMIC_MAP }),
    ),
    tolerations: Type.Optional(
      Type.Array(Toleration, { maxItems: 32, description: 'Taints of nodes that the pods tolerate.', ...ATOMIC_LIST }),
    ),
    affinity: Type.Optional(Affinity),
    runtimeClassName: Type.Optional(nameOf('RuntimeClass of the pods.')),
    priorityClassName: Type.Optional(nameOf('PriorityClass of the pods.')),
    env: Type.Optional(
      Type.Array(EnvVar, { maxItems: 64, description: 'Further variables of the worker.', ...mapBy('name') }),
    ),
    podLabels: Type.Optional(
      mapOf(LabelValue, 64, { description: 'Further labels of the pods.', ...notReserved('keys of podLabels') }),
    ),
    podAnnotations: Type.Optional(
      mapOf(Type.String({ maxLength: 65_536 }), 64, {
        description: 'Further annotations of the pods.',
        ...notReserved('keys of podAnnotations'),
      }),
    ),
  },
  { default: {}, description: 'What a worker runs with. A change is a new revision, which replaces the old one.' },
);
export type WorkerSpec = Static<typeof WorkerSpec>;
