import Type from 'typebox';
import type { Static } from 'typebox';
import { conditions, observedGeneration } from './condition.ts';
import { moment } from './time.ts';

/** Status of a key, written by the operator. */
export const ApiKeyStatus = Type.Object(
  {
    observedGeneration,
    expires: Type.Optional(
      Type.String({ maxLength: 35, description: 'Expiry of the key for display: a time, or never.' }),
    ),
    lastUsedAt: Type.Optional(moment('Time of the last use, accurate to about a minute.')),
    conditions: conditions('Conditions of the key. Type: Ready.'),
  },
  { description: 'Observed state of the key.' },
);
export type ApiKeyStatus = Static<typeof ApiKeyStatus>;
