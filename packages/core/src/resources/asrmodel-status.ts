import Type from 'typebox';
import type { Static } from 'typebox';
import { conditions, count, observedGeneration } from './condition.ts';
import { moment } from './time.ts';

const slots = Type.Object(
  {
    total: count('Sessions that the ready workers take together.'),
    active: count('Streams that run.'),
    reserved: count('Slots held for sessions that have not connected yet.'),
    waiting: count('Sessions that wait for a slot.'),
  },
  { description: 'How full the pool is.' },
);

const canary = Type.Object(
  {
    revision: Type.String({ maxLength: 63, description: 'The revision that is watched.' }),
    percent: Type.Integer({ minimum: 0, maximum: 100, description: 'New sessions that it gets.' }),
    since: moment('Since when.'),
  },
  { description: 'A new revision that is being tried; absent when there is none.' },
);

/** What the operator has seen of a model. */
export const AsrModelStatus = Type.Object(
  {
    observedGeneration,
    replicas: Type.Optional(count('Workers that there are, ready or not.')),
    readyReplicas: Type.Optional(count('Workers that take sessions.')),
    workers: Type.Optional(Type.String({ maxLength: 32, description: 'Ready workers of all, such as 3/4.' })),
    slots: Type.Optional(slots),
    sessions: Type.Optional(
      Type.String({ maxLength: 32, description: 'Running streams of all slots, such as 351/480.' }),
    ),
    slotsPerWorker: Type.Optional(count('Sessions that a worker takes, as last measured; kept while there is none.')),
    revision: Type.Optional(
      Type.String({ maxLength: 63, description: 'The revision that serves: a hash of artifact and worker.' }),
    ),
    canary: Type.Optional(canary),
    selector: Type.Optional(
      Type.String({ maxLength: 512, description: 'Label selector of the worker pods, for the scale subresource.' }),
    ),
    conditions: conditions('Available, Progressing, ArtifactReady, Degraded, ScalingLimited, LoadUnknown.'),
  },
  { description: 'What the operator has seen.' },
);
export type AsrModelStatus = Static<typeof AsrModelStatus>;
