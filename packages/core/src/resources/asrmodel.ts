import Type from 'typebox';
import type { Static } from 'typebox';
import { MAX_AUDIO_SECONDS } from '../audio.ts';
import { Artifact } from './artifact.ts';
import { rules } from './extensions.ts';
import { API_VERSION, closed, Metadata, NAME_RULE, nameOf } from './metadata.ts';
import { Rollout, Scaling } from './scaling.ts';
import { AsrModelStatus } from './asrmodel-status.ts';
import { TIER_RULES, Tiers } from './tier.ts';
import { WorkerSpec } from './worker.ts';

/** Time that a draining worker needs after the end of its longest stream to deliver the results. */
export const DRAIN_MARGIN_SECONDS = 30;

/**
 * Builds a CEL rule that refuses changes of a field. Clients identify a model by its name, and rely on what the model
 * recognizes.
 */
const fixed = (field: string) =>
  rules({
    rule: 'self == oldSelf',
    message: `${field} cannot be changed, because clients rely on it: create a model with another name`,
  });

/**
 * Fields of `worker` that describe pods. A guest model (`hostedBy`) must not set them, because it runs in the pods of
 * its host.
 */
export const POD_FIELDS = [
  'accelerator',
  'resources',
  'resourceClaims',
  'image',
  'nodeSelector',
  'tolerations',
  'affinity',
  'runtimeClassName',
  'priorityClassName',
  'env',
  'podLabels',
  'podAnnotations',
] as const satisfies readonly (keyof WorkerSpec)[];

const HOSTED_RULE =
  'a model with hostedBy uses the workers of its host: remove everything but slots from worker, or remove hostedBy';

export const AsrModelSpec = closed(
  {
    language: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Display name of the language. Immutable.',
      ...fixed('language'),
    }),
    languageCode: Type.String({
      pattern: '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$',
      maxLength: 35,
      description: 'BCP 47 code of the language. Immutable.',
      ...fixed('languageCode'),
    }),
    maxAudioSeconds: Type.Integer({
      minimum: 1,
      default: MAX_AUDIO_SECONDS,
      description: 'Maximum audio of a session, in seconds. Fixed in v1 of the interface.',
      ...rules({
        rule: `self == ${MAX_AUDIO_SECONDS}`,
        message: `maxAudioSeconds is ${MAX_AUDIO_SECONDS} for every model in v1 of the interface: omit it`,
      }),
    }),
    artifact: Artifact,
    hostedBy: Type.Optional(
      nameOf(
        'Name of the host, which is another model of the same namespace whose workers also serve this one. Both models then share the accelerators of the host. worker, pools, scaling, drainSeconds and rollout of the host apply. Of these fields, this model sets only worker.slots and scaling.maxWaitSeconds.',
      ),
    ),
    worker: WorkerSpec,
    pools: Type.Optional(Tiers),
    scaling: Scaling,
    drainSeconds: Type.Integer({
      minimum: 1,
      maximum: 7200,
      default: MAX_AUDIO_SECONDS + DRAIN_MARGIN_SECONDS,
      description:
        'Maximum time that a draining worker serves its streams, in seconds. The streams move to other workers that have free slots. After this time, the worker closes the remaining streams, which then wait for another worker for up to scaling.maxWaitSeconds.',
    }),
    rollout: Rollout,
  },
  {
    description: 'Desired state of the model.',
    ...rules(
      {
        rule: `!has(self.hostedBy) || !(${POD_FIELDS.map((field) => `has(self.worker.${field})`).join(' || ')})`,
        message: HOSTED_RULE,
        fieldPath: '.worker',
      },
      {
        rule: `self.drainSeconds >= self.maxAudioSeconds + ${DRAIN_MARGIN_SECONDS}`,
        message: `drainSeconds must be at least maxAudioSeconds + ${DRAIN_MARGIN_SECONDS}, so that the longest stream can finish: raise it or omit it`,
        fieldPath: '.drainSeconds',
      },
      ...TIER_RULES,
    ),
  },
);

export const AsrModel = Type.Object(
  {
    apiVersion: Type.Literal(API_VERSION),
    kind: Type.Literal('ASRModel'),
    metadata: Metadata,
    spec: AsrModelSpec,
    status: Type.Optional(AsrModelStatus),
  },
  {
    description:
      'A model that the service offers, and the pool of workers that serves it. Its name is the public model id, and unique in all namespaces of the installation.',
    ...rules(NAME_RULE, {
      rule: '!has(self.spec.hostedBy) || self.spec.hostedBy != self.metadata.name',
      message: 'hostedBy must name another model: remove it, or name the model whose workers also serve this one',
      fieldPath: '.spec.hostedBy',
    }),
  },
);
export type AsrModel = Static<typeof AsrModel>;
