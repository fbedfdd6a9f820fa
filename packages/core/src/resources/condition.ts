import Type from 'typebox';
import type { Static } from 'typebox';
import { mapBy } from './extensions.ts';
import { moment } from './time.ts';

/** What is the case about a resource, in the form that all of Kubernetes has. */
export const Condition = Type.Object(
  {
    type: Type.String({
      pattern: '^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)$',
      maxLength: 316,
      description: 'What it is about.',
    }),
    status: Type.Enum(['True', 'False', 'Unknown'], { description: 'Whether it is the case.' }),
    observedGeneration: Type.Optional(
      Type.Integer({ minimum: 0, description: 'The generation of the resource that this was seen with.' }),
    ),
    lastTransitionTime: moment('When status changed last.'),
    reason: Type.String({
      pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
      minLength: 1,
      maxLength: 1024,
      description: 'Why, in one word for machines.',
    }),
    message: Type.String({ maxLength: 32_768, description: 'Why, in words for people.' }),
  },
  { description: 'A condition.' },
);
export type Condition = Static<typeof Condition>;

/** The conditions of a resource. */
export function conditions(description: string) {
  return Type.Optional(Type.Array(Condition, { maxItems: 32, description, ...mapBy('type') }));
}

/** The generation whose spec the rest of a status is about. */
export const observedGeneration = Type.Optional(
  Type.Integer({ minimum: 0, description: 'The generation of the resource that the operator has brought into force.' }),
);

/** A number of something. */
export function count(description: string) {
  return Type.Integer({ minimum: 0, description });
}
