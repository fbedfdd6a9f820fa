import Type from 'typebox';
import { closed } from './metadata.ts';
import { LabelValue, mapOf } from './pod.ts';

const MAX_TERMS = 16;
const MAX_VALUES = 64;

const text = (maxLength: number, description: string) => Type.String({ minLength: 1, maxLength, description });
const labelKey = (description: string) => text(317, description);

const requirement = (operators: string[], description: string) =>
  closed(
    {
      key: labelKey('Key of the label or field.'),
      operator: Type.Enum(operators, { description: 'Operator that compares the value of the key with values.' }),
      values: Type.Optional(
        Type.Array(Type.String({ maxLength: 253 }), {
          maxItems: MAX_VALUES,
          description: 'Values to compare with.',
        }),
      ),
    },
    { description },
  );

const nodeRequirements = (description: string) =>
  Type.Optional(
    Type.Array(requirement(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'], 'A requirement for the node.'), {
      maxItems: MAX_TERMS,
      description,
    }),
  );

const nodeTerm = closed(
  {
    matchExpressions: nodeRequirements('Requirements for the labels of the node.'),
    matchFields: nodeRequirements('Requirements for the fields of the node.'),
  },
  { description: 'Requirements, all of which a node must meet.' },
);

const labelSelector = (description: string) =>
  closed(
    {
      matchLabels: Type.Optional(
        mapOf(LabelValue, MAX_VALUES, { description: 'Labels and their values, all of which must match.' }),
      ),
      matchExpressions: Type.Optional(
        Type.Array(requirement(['In', 'NotIn', 'Exists', 'DoesNotExist'], 'A requirement for the labels.'), {
          maxItems: MAX_TERMS,
          description: 'Requirements for the labels, all of which must be met.',
        }),
      ),
    },
    { description },
  );

const labelKeys = (description: string) =>
  Type.Optional(Type.Array(labelKey('Key of a label.'), { maxItems: MAX_TERMS, description }));

const podTerm = closed(
  {
    labelSelector: Type.Optional(labelSelector('Label selector of the other pods.')),
    namespaces: Type.Optional(
      Type.Array(text(63, 'Name of a namespace.'), {
        maxItems: MAX_VALUES,
        description: 'Namespaces of the other pods.',
      }),
    ),
    namespaceSelector: Type.Optional(labelSelector('Label selector of the namespaces of the other pods.')),
    topologyKey: labelKey('Key of a node label. Nodes with the same value form one topology domain.'),
    matchLabelKeys: labelKeys('Keys of pod labels whose values must be the same as those of the worker pod.'),
    mismatchLabelKeys: labelKeys('Keys of pod labels whose values must differ from those of the worker pod.'),
  },
  { description: 'Other pods, and the topology domain to share or avoid.' },
);

const weight = Type.Integer({ minimum: 1, maximum: 100, description: 'Weight of the preference.' });

const podAffinity = (description: string) =>
  closed(
    {
      requiredDuringSchedulingIgnoredDuringExecution: Type.Optional(
        Type.Array(podTerm, { maxItems: MAX_TERMS, description: 'Terms, all of which must be satisfied.' }),
      ),
      preferredDuringSchedulingIgnoredDuringExecution: Type.Optional(
        Type.Array(closed({ weight, podAffinityTerm: podTerm }, { description: 'A preference.' }), {
          maxItems: MAX_TERMS,
          description: 'Preferences with their weights.',
        }),
      ),
    },
    { description },
  );

const nodeAffinity = closed(
  {
    requiredDuringSchedulingIgnoredDuringExecution: Type.Optional(
      closed(
        {
          nodeSelectorTerms: Type.Array(nodeTerm, {
            minItems: 1,
            maxItems: MAX_TERMS,
            description: 'Terms, at least one of which a node must meet.',
          }),
        },
        { description: 'Required properties of a node.' },
      ),
    ),
    preferredDuringSchedulingIgnoredDuringExecution: Type.Optional(
      Type.Array(closed({ weight, preference: nodeTerm }, { description: 'A preference.' }), {
        maxItems: MAX_TERMS,
        description: 'Preferences with their weights.',
      }),
    ),
  },
  { description: 'Node affinity of the pods.' },
);

/** Scheduling constraints, in the format of a pod's `affinity`. */
export const Affinity = closed(
  {
    nodeAffinity: Type.Optional(nodeAffinity),
    podAffinity: Type.Optional(podAffinity('Pods to run next to.')),
    podAntiAffinity: Type.Optional(podAffinity('Pods not to run next to.')),
  },
  { description: 'Scheduling constraints, in the format of a pod.' },
);
