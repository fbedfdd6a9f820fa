import Type from 'typebox';
import { rules } from './extensions.ts';
import { closed } from './metadata.ts';

const MOST_WORKERS = 10_000;

const seconds = (value: number, description: string) =>
  Type.Integer({ minimum: 0, maximum: 86_400, default: value, description });

/** How many workers a model has. */
export const Scaling = closed(
  {
    mode: Type.Enum(['Sessions', 'External'], {
      default: 'Sessions',
      description: 'Sessions: workers follow the sessions. External: something else writes the scale subresource.',
    }),
    min: Type.Integer({ minimum: 0, maximum: MOST_WORKERS, default: 0, description: 'Fewest workers.' }),
    max: Type.Integer({ minimum: 0, maximum: MOST_WORKERS, default: 1, description: 'Most workers.' }),
    bufferSessions: Type.Integer({
      minimum: 0,
      maximum: 100_000,
      default: 1,
      description: 'Free slots kept ready for new sessions; the larger of this and bufferPercent counts.',
    }),
    bufferPercent: Type.Integer({
      minimum: 0,
      maximum: 1000,
      default: 10,
      description: 'Free slots kept ready, in percent of the sessions that are there.',
    }),
    scaleDownDelaySeconds: seconds(300, 'How long load must stay lower before workers are taken away.'),
    idleToZeroSeconds: seconds(600, 'Without demand for this long the pool goes to its minimum.'),
    maxWaitSeconds: seconds(120, 'How long a session waits for capacity at the handshake.'),
    replicas: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MOST_WORKERS,
        description:
          'Workers in External mode, within min and max; written through the scale subresource. In Sessions mode it has no effect, and the operator removes it.',
      }),
    ),
  },
  {
    default: {},
    description: 'How many workers there are.',
    ...rules(
      {
        rule: 'self.min <= self.max',
        message: 'scaling.min must not be above scaling.max: lower min or raise max',
        fieldPath: '.min',
      },
      {
        // What is left of External mode may stay: whoever switches back has never written it. The operator removes it.
        rule: "self.mode == 'External' || !has(self.replicas) || (has(oldSelf.replicas) && self.replicas == oldSelf.replicas)",
        message:
          'scaling.replicas goes with scaling.mode External: remove replicas and use min and max, or set the mode to External',
        fieldPath: '.replicas',
      },
    ),
  },
);

/** How a new revision takes over. */
export const Rollout = closed(
  {
    canaryPercent: Type.Integer({
      minimum: 0,
      maximum: 100,
      default: 0,
      description: 'New sessions that a new revision gets while it is watched; 0: all of them at once.',
    }),
    maxFailurePercent: Type.Number({
      minimum: 0,
      maximum: 100,
      default: 1,
      description: 'Sessions of a new revision that may fail before it is rolled back.',
    }),
    maxDeltaP95Ms: Type.Integer({
      minimum: 1,
      maximum: 60_000,
      default: 500,
      description: 'Latency of deltas (95th percentile) beyond which a new revision is rolled back.',
    }),
    windowSeconds: seconds(300, 'How long a new revision is watched.'),
  },
  { default: {}, description: 'How a new artifact, image or worker setting takes over.' },
);
