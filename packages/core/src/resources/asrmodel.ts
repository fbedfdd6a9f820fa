import Type from 'typebox';
import type { Static } from 'typebox';
import { MAX_AUDIO_SECONDS } from '../audio.ts';
import { API_VERSION, closed, Metadata, ResourceName } from './metadata.ts';

const Quantities = Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]));
/** Parts that go to the pod as they are; the API server checks them when the pod is made. */
const PodPart = Type.Record(Type.String(), Type.Unknown());

/** Where the model's files come from: exactly one source. */
export const Artifact = Type.Union([
  closed({ path: Type.String({ minLength: 1, description: "A folder in the worker's image; standalone: on disk." }) }),
  closed({
    persistentVolumeClaim: closed({
      claimName: ResourceName,
      path: Type.String({ default: '', description: 'Folder within the volume.' }),
    }),
  }),
  closed({ image: Type.String({ minLength: 1, description: 'An OCI image, mounted as a volume.' }) }),
  closed({
    url: Type.String({ pattern: '^https://', description: 'A .tar.gz with the model folder.' }),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    secretRef: Type.Optional(closed({ name: ResourceName })),
    cache: Type.Optional(closed({ claimName: ResourceName })),
  }),
]);

export const WorkerSpec = closed(
  {
    provider: Type.String({
      pattern: '^[a-z][a-z0-9]*$',
      default: 'cpu',
      description: 'ONNX Runtime execution provider: cpu, cuda, …',
    }),
    accelerator: Type.Optional(
      closed({
        resource: Type.String({ default: 'nvidia.com/gpu' }),
        count: Type.Integer({ minimum: 1, maximum: 64, default: 1 }),
      }),
    ),
    resources: Type.Optional(closed({ requests: Type.Optional(Quantities), limits: Type.Optional(Quantities) })),
    slots: Type.Integer({
      minimum: 0,
      maximum: 100_000,
      default: 0,
      description: 'Sessions that one worker takes; 0: measured at warm-up.',
    }),
    image: Type.Optional(Type.String({ minLength: 1 })),
    nodeSelector: Type.Optional(Type.Record(Type.String(), Type.String())),
    tolerations: Type.Optional(Type.Array(PodPart, { maxItems: 32 })),
    affinity: Type.Optional(PodPart),
    runtimeClassName: Type.Optional(ResourceName),
    priorityClassName: Type.Optional(ResourceName),
    env: Type.Optional(Type.Array(PodPart, { maxItems: 64 })),
    podLabels: Type.Optional(Type.Record(Type.String(), Type.String())),
    podAnnotations: Type.Optional(Type.Record(Type.String(), Type.String())),
  },
  { default: {} },
);

const seconds = (value: number, description: string) =>
  Type.Integer({ minimum: 0, maximum: 86_400, default: value, description });

export const Scaling = closed(
  {
    mode: Type.Enum(['Sessions', 'External'], {
      default: 'Sessions',
      description: 'External: something else writes the scale subresource.',
    }),
    min: Type.Integer({ minimum: 0, maximum: 10_000, default: 0 }),
    max: Type.Integer({ minimum: 0, maximum: 10_000, default: 1 }),
    bufferSessions: Type.Integer({ minimum: 0, maximum: 100_000, default: 1, description: 'Free slots kept ready.' }),
    bufferPercent: Type.Integer({ minimum: 0, maximum: 1000, default: 10 }),
    scaleDownDelaySeconds: seconds(300, 'How long load must stay lower before workers are taken away.'),
    idleToZeroSeconds: seconds(600, 'Without demand for this long the pool goes to its minimum.'),
    maxWaitSeconds: seconds(120, 'How long a session waits for capacity at the handshake.'),
    replicas: Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000 })),
  },
  { default: {} },
);

export const Rollout = closed(
  {
    canaryPercent: Type.Integer({ minimum: 0, maximum: 100, default: 0 }),
    maxFailurePercent: Type.Number({ minimum: 0, maximum: 100, default: 1 }),
    maxDeltaP95Ms: Type.Integer({ minimum: 1, maximum: 60_000, default: 500 }),
    windowSeconds: seconds(300, 'How long a new revision is watched.'),
  },
  { default: {} },
);

export const AsrModelSpec = closed({
  language: Type.String({ minLength: 1, maxLength: 100, description: 'Name of the language, as people read it.' }),
  languageCode: Type.String({ pattern: '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$', description: 'BCP 47 code.' }),
  maxAudioSeconds: Type.Integer({
    minimum: MAX_AUDIO_SECONDS,
    maximum: MAX_AUDIO_SECONDS,
    default: MAX_AUDIO_SECONDS,
    description: "The interface's constant.",
  }),
  artifact: Artifact,
  worker: WorkerSpec,
  scaling: Scaling,
  drainSeconds: Type.Integer({
    minimum: MAX_AUDIO_SECONDS + 30,
    maximum: 7200,
    default: MAX_AUDIO_SECONDS + 30,
    description: 'How long a worker that goes away may finish its streams; what is left then is moved.',
  }),
  rollout: Rollout,
});

export const AsrModel = Type.Object({
  apiVersion: Type.Literal(API_VERSION),
  kind: Type.Literal('ASRModel'),
  metadata: Metadata,
  spec: AsrModelSpec,
});
export type AsrModel = Static<typeof AsrModel>;
