import Type from 'typebox';
import type { Static } from 'typebox';
import { mapBy } from './extensions.ts';
import { moment } from './time.ts';

/** Condition of a resource, in the standard format of Kubernetes. */
export const Condition = Type.Object(
  {
    type: Type.String({
      pattern: '^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)$',
      maxLength: 316,
      description: 'Type of the condition.',
    }),
    status: Type.Enum(['True', 'False', 'Unknown'], {
      description: 'Status of the condition: True, False or Unknown.',
    }),
    observedGeneration: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Generation of the resource that the condition was set for.' }),
    ),
    lastTransitionTime: moment('Time at which status last changed.'),
    reason: Type.String({
      pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
      minLength: 1,
      maxLength: 1024,
      description: 'Machine-readable reason for the last transition, in CamelCase.',
    }),
    message: Type.String({ maxLength: 32_768, description: 'Readable details about the last transition.' }),
  },
  { description: 'A condition of the resource.' },
);
export type Condition = Static<typeof Condition>;

/** Builds the schema of the conditions of a resource. */
export function conditions(description: string) {
  return Type.Optional(Type.Array(Condition, { maxItems: 32, description, ...mapBy('type') }));
}

/** Generation of the spec to which the other fields of the status refer. */
export const observedGeneration = Type.Optional(
  Type.Integer({ minimum: 0, description: 'Generation of the resource that the operator has applied.' }),
);

/** Builds the schema of a count. */
export function count(description: string) {
  return Type.Integer({ minimum: 0, description });
}
