import Type from 'typebox';
import type { Static } from 'typebox';
import { conditions, observedGeneration } from './condition.ts';
import { moment } from './time.ts';

/** What the operator has seen of a key. */
export const ApiKeyStatus = Type.Object(
  {
    observedGeneration,
    expires: Type.Optional(
      Type.String({ maxLength: 35, description: 'When the key expires, as people read it: the time, or never.' }),
    ),
    lastUsedAt: Type.Optional(moment('When the key was last used, to a minute or so.')),
    conditions: conditions('Ready.'),
  },
  { description: 'What the operator has seen.' },
);
export type ApiKeyStatus = Static<typeof ApiKeyStatus>;
