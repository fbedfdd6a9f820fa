import Type from 'typebox';
import type { Static } from 'typebox';
import { conditions, count, observedGeneration } from './condition.ts';
import { moment } from './time.ts';

const slots = Type.Object(
  {
    total: count('Total slots of the ready workers.'),
    active: count('Number of running streams.'),
    reserved: count('Number of slots held for sessions that have not connected yet.'),
    waiting: count('Number of sessions that wait for a slot.'),
  },
  { description: 'Usage of the pool.' },
);

const canary = Type.Object(
  {
    revision: Type.String({ maxLength: 63, description: 'Revision under observation.' }),
    percent: Type.Integer({
      minimum: 0,
      maximum: 100,
      description: 'Percentage of new sessions that the revision receives.',
    }),
    since: moment('Time at which this percentage started.'),
  },
  { description: 'Canary of a rollout. Absent if there is none.' },
);

const measuredSlots = Type.Array(
  Type.Object({
    revision: Type.String({ maxLength: 63, description: 'Revision of the workers.' }),
    device: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'Name of the GPU of the workers. Absent if they have none, or if its name is unknown.',
      }),
    ),
    pool: Type.Optional(
      Type.String({ maxLength: 20, description: 'Tier of the workers. Absent if they belong to none.' }),
    ),
    slots: count('Slots of one worker.'),
  }),
  {
    maxItems: 32,
    description:
      'Slots that workers measured at their start, the newest measurement first. The operator expects the same number from the next worker.',
  },
);

const pools = Type.Array(
  Type.Object({
    name: Type.String({ maxLength: 20, description: 'Name of the tier.' }),
    desired: count('Desired number of workers.'),
    running: count('Number of workers, ready or not.'),
    ready: count('Number of workers that accept sessions.'),
    slots: count('Total slots of the ready workers.'),
    used: count('Number of running streams.'),
    problem: Type.Optional(
      Type.String({ maxLength: 1024, description: 'Why no further worker can start. Absent if workers can start.' }),
    ),
  }),
  { maxItems: 16, description: 'Tiers of the model, the preferred one first. Absent if the model has no pools.' },
);

/** Status of a model, written by the operator. */
export const AsrModelStatus = Type.Object(
  {
    observedGeneration,
    replicas: Type.Optional(count('Number of workers, ready or not.')),
    readyReplicas: Type.Optional(count('Number of workers that accept sessions.')),
    workers: Type.Optional(
      Type.String({ maxLength: 32, description: 'Ready and total workers for display, such as 3/4.' }),
    ),
    slots: Type.Optional(slots),
    sessions: Type.Optional(
      Type.String({ maxLength: 32, description: 'Running streams and total slots for display, such as 351/480.' }),
    ),
    slotsPerWorker: Type.Optional(count('Slots of one worker, as last measured. Kept while there is no worker.')),
    measuredSlots: Type.Optional(measuredSlots),
    pools: Type.Optional(pools),
    tiers: Type.Optional(
      Type.String({
        maxLength: 512,
        description: 'Ready and desired workers of each tier for display, such as spot 1/2.',
      }),
    ),
    revision: Type.Optional(
      Type.String({
        maxLength: 63,
        description: 'Revision that serves sessions: a hash of everything that determines its workers.',
      }),
    ),
    canary: Type.Optional(canary),
    failingNodes: Type.Optional(
      Type.Array(Type.String({ maxLength: 253 }), {
        maxItems: 20,
        description:
          'Nodes on which workers failed repeatedly within an hour, while other workers of the model ran without failures.',
      }),
    ),
    selector: Type.Optional(
      Type.String({ maxLength: 512, description: 'Label selector of the worker pods, for the scale subresource.' }),
    ),
    conditions: conditions(
      'Conditions of the model. Types: Ready, Available, Progressing, ArtifactReady, Degraded, ScalingLimited, LoadUnknown.',
    ),
  },
  { description: 'Observed state of the model.' },
);
export type AsrModelStatus = Static<typeof AsrModelStatus>;
