import Type from 'typebox';
import { rules } from './extensions.ts';
import { closed } from './metadata.ts';

/** Largest number of workers of a model or a tier. */
export const MAX_WORKERS = 10_000;

const seconds = (value: number, description: string) =>
  Type.Integer({ minimum: 0, maximum: 86_400, default: value, description });

/** Builds the schema of a number of workers, given as an integer or as a percentage. */
const share = (value: number | string, description: string) =>
  Type.Union(
    [
      Type.String({ maxLength: 4, pattern: '^(0|[1-9][0-9]?|100)%$' }),
      Type.Integer({ minimum: 0, maximum: MAX_WORKERS }),
    ],
    { default: value, description },
  );

/** Schema of `spec.scaling`: limits and delays by which a model's number of workers follows its load. */
export const Scaling = closed(
  {
    mode: Type.Enum(['Sessions', 'External'], {
      default: 'Sessions',
      description:
        'Sessions scales workers with the number of sessions. External leaves the number to the writer of the scale subresource.',
    }),
    min: Type.Integer({ minimum: 0, maximum: MAX_WORKERS, default: 0, description: 'Minimum number of workers.' }),
    max: Type.Integer({ minimum: 0, maximum: MAX_WORKERS, default: 1, description: 'Maximum number of workers.' }),
    bufferSessions: Type.Integer({
      minimum: 0,
      maximum: 100_000,
      default: 1,
      description: 'Free slots to keep for new sessions. The larger of this and bufferPercent applies.',
    }),
    bufferPercent: Type.Integer({
      minimum: 0,
      maximum: 1000,
      default: 10,
      description: 'Free slots to keep for new sessions, as a percentage of the current sessions.',
    }),
    scaleDownDelaySeconds: seconds(
      300,
      'Time for which fewer workers must have been enough before workers are removed, in seconds.',
    ),
    idleToZeroSeconds: seconds(600, 'Time without demand after which the pool scales to its minimum, in seconds.'),
    provisionSeconds: seconds(
      600,
      'Maximum time that new pods wait for a node and their volumes before the wait counts as a start failure, in seconds. Until then, sessions can wait for these pods. Afterwards, the next tier takes the demand. Without another tier, new sessions beyond the free slots are refused.',
    ),
    maxWaitSeconds: seconds(120, 'Maximum time that a session waits for capacity after the handshake, in seconds.'),
    replicas: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_WORKERS,
        description:
          'Number of workers in External mode, between min and max. Written through the scale subresource. In Sessions mode it has no effect, and the operator removes it.',
      }),
    ),
  },
  {
    default: {},
    description: 'Scaling of the pool.',
    ...rules(
      {
        rule: 'self.min <= self.max',
        message: 'scaling.min must not be greater than scaling.max: lower min or raise max',
        fieldPath: '.min',
      },
      {
        // `replicas` may keep its old value when a user switches back from External mode. Not the user but an
        // autoscaler wrote that value, and the operator removes it.
        rule: "self.mode == 'External' || !has(self.replicas) || (has(oldSelf.replicas) && self.replicas == oldSelf.replicas)",
        message:
          'scaling.replicas is only for scaling.mode External: remove replicas and use min and max, or set the mode to External',
        fieldPath: '.replicas',
      },
    ),
  },
);

/** Schema of `spec.rollout`: how a new revision replaces the previous one. */
export const Rollout = closed(
  {
    canaryPercent: Type.Integer({
      minimum: 0,
      maximum: 100,
      default: 0,
      description:
        'Percentage of new sessions that a new revision receives while it is observed. 0 replaces the old revision immediately.',
    }),
    maxFailurePercent: Type.Number({
      minimum: 0,
      maximum: 100,
      default: 1,
      description: 'Maximum percentage of failed sessions of a new revision before it is rolled back.',
    }),
    maxDeltaP95Ms: Type.Integer({
      minimum: 1,
      maximum: 60_000,
      default: 500,
      description: 'Maximum 95th percentile of the delta latency of a new revision before it is rolled back.',
    }),
    windowSeconds: seconds(300, 'Time that a new revision is observed, in seconds.'),
    maxSurge: share(
      '25%',
      'Workers that a rollout may run in addition to the size of the pool, as a number or a percentage, rounded up. Draining workers count until they have ended. With 0, a worker is drained before its successor starts.',
    ),
    maxUnavailable: share(
      0,
      'Workers that may be missing during a rollout, as a number or a percentage, rounded down. At least 1 if maxSurge is 0.',
    ),
    startSeconds: seconds(
      1200,
      'Time in which the first worker of a new revision must accept sessions, in seconds. Otherwise the revision is rolled back. 0 sets no limit.',
    ),
  },
  { default: {}, description: 'Rollout of a new artifact, image or worker setting.' },
);
