import Type from 'typebox';
import type { Static, TSchema } from 'typebox';
import type { Problem } from '../validate.ts';
import { exactlyOneOf, rules } from './extensions.ts';
import { closed, nameOf } from './metadata.ts';

const LABEL_VALUE = '^([A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?)?$';
/** Kubernetes knows more ways to write an amount, none of which anybody needs for a worker. */
const QUANTITY = '^([0-9]+(\\.[0-9]+)?|\\.[0-9]+)([numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]+)?$';

/** Labels and annotations of this prefix tie pods to their model. */
export const RESERVED_PREFIX = 'asr.svc.dev/';

export const LabelValue = Type.String({ maxLength: 63, pattern: LABEL_VALUE });

/** A map from names to values. */
export function mapOf<S extends TSchema>(value: S, maxProperties: number, options: object) {
  return Type.Record(Type.String(), value, { maxProperties, ...options });
}

/** Amounts of resources by name. Fractions are text ("500m"), since that is what CRDs can say. */
export function quantities(description: string) {
  const amount = Type.Union([Type.String({ maxLength: 32, pattern: QUANTITY }), Type.Integer({ minimum: 0 })]);
  return mapOf(amount, 16, { description });
}

/** A rule for maps whose keys the operator has names of its own among. */
export function notReserved(field: string) {
  return rules({
    rule: `self.all(key, !key.startsWith('${RESERVED_PREFIX}'))`,
    message: `${field} must not begin with ${RESERVED_PREFIX}, which the operator writes itself: remove or rename them`,
  });
}

const optional = Type.Optional(
  Type.Boolean({ description: 'Whether the variable is left out when the key is missing.' }),
);
const key = Type.String({ minLength: 1, maxLength: 253, pattern: '^[-._a-zA-Z0-9]+$', description: 'The key in it.' });

const VALUE_SOURCES = ['secretKeyRef', 'configMapKeyRef', 'fieldRef', 'resourceFieldRef'] as const;

const valueFrom = closed(
  {
    secretKeyRef: Type.Optional(
      closed(
        { name: nameOf('Name of the Secret.'), key, optional },
        { description: 'A key of a Secret in the same namespace.' },
      ),
    ),
    configMapKeyRef: Type.Optional(
      closed(
        { name: nameOf('Name of the ConfigMap.'), key, optional },
        { description: 'A key of a ConfigMap in the same namespace.' },
      ),
    ),
    fieldRef: Type.Optional(
      closed(
        { fieldPath: Type.String({ minLength: 1, maxLength: 512, description: 'Such as status.hostIP.' }) },
        { description: 'A field of the pod.' },
      ),
    ),
    resourceFieldRef: Type.Optional(
      closed(
        { resource: Type.String({ minLength: 1, maxLength: 317, description: 'Such as limits.cpu.' }) },
        { description: "A resource of the worker's container." },
      ),
    ),
  },
  {
    description: 'Where the value comes from: exactly one source.',
    ...rules({
      rule: exactlyOneOf(VALUE_SOURCES),
      message: `valueFrom needs exactly one source: keep one of ${VALUE_SOURCES.join(', ')}`,
    }),
  },
);

/** A variable of a container's environment. */
export const EnvVar = closed(
  {
    name: Type.String({
      maxLength: 256,
      pattern: '^[-._a-zA-Z][-._a-zA-Z0-9]*$',
      description: 'Name of the variable.',
    }),
    value: Type.Optional(Type.String({ maxLength: 32_768, description: 'The value. Secrets belong into valueFrom.' })),
    valueFrom: Type.Optional(valueFrom),
  },
  {
    description: 'A variable.',
    ...rules({
      rule: '!(has(self.value) && has(self.valueFrom))',
      message: 'a variable has value or valueFrom, not both: remove one',
    }),
  },
);

/** What the schema of a variable cannot say; its CEL rules say the same. */
export function findVariableProblems({ value, valueFrom: sources }: Static<typeof EnvVar>): Problem[] {
  if (sources === undefined) return [];
  if (value !== undefined) return [{ field: '', message: 'has value and valueFrom: remove one' }];
  if (VALUE_SOURCES.filter((source) => sources[source] !== undefined).length === 1) return [];
  return [{ field: 'valueFrom', message: `must have exactly one of ${VALUE_SOURCES.join(', ')}` }];
}

/** A taint that pods may run beside. */
export const Toleration = closed(
  {
    key: Type.Optional(
      Type.String({ maxLength: 317, description: 'Key of the taint; none with Exists: every taint.' }),
    ),
    operator: Type.Optional(
      Type.Enum(['Exists', 'Equal'], { description: 'How the taint is matched; Equal when left out.' }),
    ),
    value: Type.Optional(
      Type.String({ maxLength: 63, pattern: LABEL_VALUE, description: 'Value of the taint, with Equal.' }),
    ),
    effect: Type.Optional(
      Type.Enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute'], {
        description: 'Effect of the taint; none: every one.',
      }),
    ),
    tolerationSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 2_147_483_647,
        description: 'How long a pod stays on a node that gets the taint, with NoExecute; for ever when left out.',
      }),
    ),
  },
  { description: 'A taint that the pods tolerate.' },
);
