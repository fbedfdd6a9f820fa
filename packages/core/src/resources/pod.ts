import Type from 'typebox';
import type { Static, TSchema } from 'typebox';
import type { Problem } from '../validate.ts';
import { exactlyOneOf, rules } from './extensions.ts';
import { closed, nameOf } from './metadata.ts';

const LABEL_VALUE = '^([A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?)?$';
/** Formats of a quantity that are accepted. Kubernetes accepts a few more. */
const QUANTITY = '^([0-9]+(\\.[0-9]+)?|\\.[0-9]+)([numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]+)?$';

/** Prefix of the labels and annotations of pods that only the operator may set. */
export const RESERVED_PREFIX = 'asr.svc.dev/';

export const LabelValue = Type.String({ maxLength: 63, pattern: LABEL_VALUE });

/** Builds the schema of a map from names to values. */
export function mapOf<S extends TSchema>(value: S, maxProperties: number, options: object) {
  return Type.Record(Type.String(), value, { maxProperties, ...options });
}

/**
 * Builds the schema of resource quantities by name. A fraction must be a string ("500m"), because a CRD field may be an
 * integer or a string, but not a float.
 */
export function quantities(description: string) {
  const amount = Type.Union([Type.String({ maxLength: 32, pattern: QUANTITY }), Type.Integer({ minimum: 0 })]);
  return mapOf(amount, 16, { description });
}

/** Returns a CEL rule that refuses keys that are reserved for the operator. */
export function notReserved(field: string) {
  return rules({
    rule: `self.all(key, !key.startsWith('${RESERVED_PREFIX}'))`,
    message: `${field} must not begin with ${RESERVED_PREFIX}, which the operator writes itself: remove or rename them`,
  });
}

const optional = Type.Optional(Type.Boolean({ description: 'Whether the variable is omitted if the key is missing.' }));
const key = Type.String({
  minLength: 1,
  maxLength: 253,
  pattern: '^[-._a-zA-Z0-9]+$',
  description: 'Key in the object.',
});

const VALUE_SOURCES = ['secretKeyRef', 'configMapKeyRef', 'fieldRef', 'resourceFieldRef'] as const;

const valueFrom = closed(
  {
    secretKeyRef: Type.Optional(
      closed(
        { name: nameOf('Name of the Secret.'), key, optional },
        {
          description:
            'Key of a Secret in the same namespace. Its label asr.svc.dev/usable-by-models must be true, also if the key is optional.',
        },
      ),
    ),
    configMapKeyRef: Type.Optional(
      closed(
        { name: nameOf('Name of the ConfigMap.'), key, optional },
        { description: 'Key of a ConfigMap in the same namespace.' },
      ),
    ),
    fieldRef: Type.Optional(
      closed(
        {
          fieldPath: Type.String({
            minLength: 1,
            maxLength: 512,
            description: 'Path of the field, such as status.hostIP.',
          }),
        },
        { description: 'Field of the pod.' },
      ),
    ),
    resourceFieldRef: Type.Optional(
      closed(
        {
          resource: Type.String({
            minLength: 1,
            maxLength: 317,
            description: 'Name of the resource, such as limits.cpu.',
          }),
        },
        { description: 'Resource of the worker container.' },
      ),
    ),
  },
  {
    description: 'Source of the value. Exactly one field must be set.',
    ...rules({
      rule: exactlyOneOf(VALUE_SOURCES),
      message: `valueFrom needs exactly one source: keep one of ${VALUE_SOURCES.join(', ')}`,
    }),
  },
);

/** An environment variable of a container. */
export const EnvVar = closed(
  {
    name: Type.String({
      maxLength: 256,
      pattern: '^[-._a-zA-Z][-._a-zA-Z0-9]*$',
      description: 'Name of the variable.',
    }),
    value: Type.Optional(
      Type.String({ maxLength: 32_768, description: 'Value of the variable. Use valueFrom for secrets.' }),
    ),
    valueFrom: Type.Optional(valueFrom),
  },
  {
    description: 'An environment variable.',
    ...rules({
      rule: '!(has(self.value) && has(self.valueFrom))',
      message: 'a variable has value or valueFrom, not both: remove one',
    }),
  },
);

/** Checks a variable against the same rules as the CEL rules above. Returns the problems. */
export function findVariableProblems({ value, valueFrom: sources }: Static<typeof EnvVar>): Problem[] {
  if (sources === undefined) return [];
  if (value !== undefined) return [{ field: '', message: 'has value and valueFrom: remove one' }];
  if (VALUE_SOURCES.filter((source) => sources[source] !== undefined).length === 1) return [];
  return [{ field: 'valueFrom', message: `must have exactly one of ${VALUE_SOURCES.join(', ')}` }];
}

/** A toleration of a taint, in the format of a pod. */
export const Toleration = closed(
  {
    key: Type.Optional(
      Type.String({ maxLength: 317, description: 'Key of the taint. If omitted with Exists, every taint matches.' }),
    ),
    operator: Type.Optional(
      Type.Enum(['Exists', 'Equal'], {
        description: 'Operator that compares key and value with the taint. Defaults to Equal.',
      }),
    ),
    value: Type.Optional(
      Type.String({ maxLength: 63, pattern: LABEL_VALUE, description: 'Value of the taint, for the operator Equal.' }),
    ),
    effect: Type.Optional(
      Type.Enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute'], {
        description: 'Effect of the taint. If omitted, every effect matches.',
      }),
    ),
    tolerationSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2_147_483_647,
        description: 'Time that a pod stays on a node with this NoExecute taint, in seconds. Unlimited if omitted.',
      }),
    ),
  },
  { description: 'A taint that the pods tolerate.' },
);
