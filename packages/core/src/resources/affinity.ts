import Type from 'typebox';
import { closed } from './metadata.ts';
import { LabelValue, mapOf } from './pod.ts';

const MOST_TERMS = 16;
const MOST_VALUES = 64;

const text = (maxLength: number, description: string) => Type.String({ minLength: 1, maxLength, description });
const labelKey = (description: string) => text(317, description);

const requirement = (operators: string[], description: string) =>
  closed(
    {
      key: labelKey('Key of the label or field.'),
      operator: Type.Enum(operators, { description: 'How the value is compared.' }),
      values: Type.Optional(
        Type.Array(Type.String({ maxLength: 253 }), {
          maxItems: MOST_VALUES,
          description: 'Values that it is compared with.',
        }),
      ),
    },
    { description },
  );

const nodeRequirements = (description: string) =>
  Type.Optional(
    Type.Array(requirement(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'], 'A requirement to the node.'), {
      maxItems: MOST_TERMS,
      description,
    }),
  );

const nodeTerm = closed(
  {
    matchExpressions: nodeRequirements('Labels that the node must have.'),
    matchFields: nodeRequirements('Fields that the node must have.'),
  },
  { description: 'Requirements that a node meets all of.' },
);

const labelSelector = (description: string) =>
  closed(
    {
      matchLabels: Type.Optional(mapOf(LabelValue, MOST_VALUES, { description: 'Labels and their values.' })),
      matchExpressions: Type.Optional(
        Type.Array(requirement(['In', 'NotIn', 'Exists', 'DoesNotExist'], 'A requirement to the labels.'), {
          maxItems: MOST_TERMS,
          description: 'Requirements to the labels, all of which are met.',
        }),
      ),
    },
    { description },
  );

const labelKeys = (description: string) =>
  Type.Optional(Type.Array(labelKey('Key of a label.'), { maxItems: MOST_TERMS, description }));

const podTerm = closed(
  {
    labelSelector: Type.Optional(labelSelector('The pods that this is about.')),
    namespaces: Type.Optional(
      Type.Array(text(63, 'Name of a namespace.'), { maxItems: MOST_VALUES, description: 'Namespaces of those pods.' }),
    ),
    namespaceSelector: Type.Optional(labelSelector('Namespaces of those pods, by label.')),
    topologyKey: labelKey('Label of nodes: those with the same value count as one place.'),
    matchLabelKeys: labelKeys("Labels whose value is taken from the worker's pod and must be equal."),
    mismatchLabelKeys: labelKeys("Labels whose value is taken from the worker's pod and must differ."),
  },
  { description: 'Pods and the place that is shared with them, or not.' },
);

const weight = Type.Integer({ minimum: 1, maximum: 100, description: 'How much this counts.' });

const podAffinity = (description: string) =>
  closed(
    {
      requiredDuringSchedulingIgnoredDuringExecution: Type.Optional(
        Type.Array(podTerm, { maxItems: MOST_TERMS, description: 'Terms that must all hold.' }),
      ),
      preferredDuringSchedulingIgnoredDuringExecution: Type.Optional(
        Type.Array(closed({ weight, podAffinityTerm: podTerm }, { description: 'A preference.' }), {
          maxItems: MOST_TERMS,
          description: 'Preferences, by weight.',
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
            maxItems: MOST_TERMS,
            description: 'Terms of which a node meets at least one.',
          }),
        },
        { description: 'What a node must have.' },
      ),
    ),
    preferredDuringSchedulingIgnoredDuringExecution: Type.Optional(
      Type.Array(closed({ weight, preference: nodeTerm }, { description: 'A preference.' }), {
        maxItems: MOST_TERMS,
        description: 'Preferences, by weight.',
      }),
    ),
  },
  { description: 'Nodes that the pods run on.' },
);

/** Where pods are placed, in the form that a pod has it. */
export const Affinity = closed(
  {
    nodeAffinity: Type.Optional(nodeAffinity),
    podAffinity: Type.Optional(podAffinity('Pods beside which the pods run.')),
    podAntiAffinity: Type.Optional(podAffinity('Pods beside which the pods do not run.')),
  },
  { description: 'Where the pods are placed, in the form that a pod has it.' },
);
