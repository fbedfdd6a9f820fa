import Type from 'typebox';
import type { Static } from 'typebox';
import type { Problem } from '../validate.ts';
import { mapBy, rules } from './extensions.ts';
import { closed, nameOf } from './metadata.ts';
import { MAX_WORKERS } from './scaling.ts';
import { accelerator, findClaimProblems, nodeSelector, provider } from './worker.ts';
import { resourceClaims, resources, tolerations } from './worker.ts';
import type { WorkerSpec } from './worker.ts';

const MAX_TIERS = 8;

/** Optional fields that each entry of `pools` sets for itself. A model with `pools` must not set them in `worker`. */
export const TIER_FIELDS = [
  'accelerator',
  'resources',
  'resourceClaims',
  'nodeSelector',
  'tolerations',
] as const satisfies readonly (keyof WorkerSpec)[];

const workers = (value: number, description: string) =>
  Type.Integer({ minimum: 0, maximum: MAX_WORKERS, default: value, description });

/** A tier of a model: workers on one kind of hardware. */
export const Tier = closed(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 20,
      pattern: '^[a-z]([-a-z0-9]*[a-z0-9])?$',
      description: 'Name of the tier, such as reserved, spot or cpu.',
    }),
    priority: Type.Integer({
      minimum: 0,
      maximum: 1000,
      default: 0,
      description:
        'Preference of the tier. Sessions and workers go to the tier with the highest priority first. Tiers with the same priority are used in the order of the list.',
    }),
    min: workers(0, 'Minimum number of workers of the tier.'),
    max: workers(
      1,
      'Maximum number of workers of the tier. The next tier starts more workers than its min only if this tier has its maximum or cannot start workers.',
    ),
    provider,
    accelerator: Type.Optional(accelerator),
    resources: Type.Optional(resources),
    resourceClaims: Type.Optional(resourceClaims),
    slots: Type.Integer({
      minimum: 0,
      maximum: 100_000,
      default: 0,
      description: 'Slots of one worker of the tier. With 0, each worker measures its capacity before it is ready.',
    }),
    image: Type.Optional(
      Type.String({ minLength: 1, maxLength: 1024, description: 'Image of the workers. Defaults to worker.image.' }),
    ),
    nodeSelector: Type.Optional(nodeSelector),
    tolerations: Type.Optional(tolerations),
    runtimeClassName: Type.Optional(nameOf('RuntimeClass of the pods. Defaults to worker.runtimeClassName.')),
  },
  {
    description: 'A tier: workers of the model on one kind of hardware.',
    ...rules({
      rule: 'self.min <= self.max',
      message: 'min of a pool must not be greater than its max: lower min or raise max',
      fieldPath: '.min',
    }),
  },
);
export type Tier = Static<typeof Tier>;

export const Tiers = Type.Array(Tier, {
  minItems: 1,
  maxItems: MAX_TIERS,
  description:
    'Tiers of workers on different hardware, such as reserved GPUs, spot GPUs and CPUs. Demand fills the tiers in the order of their priority. Each tier sets its own min and max, provider, slots, accelerator, resources, resourceClaims, nodeSelector and tolerations. scaling and worker must then not set them. If omitted, all workers are alike.',
  ...mapBy('name'),
});

/** CEL rules for the field `pools` of a model spec. */
export const TIER_RULES = [
  {
    rule: '!has(self.pools) || !has(self.hostedBy)',
    message: 'a model with hostedBy uses the workers of its host: remove pools, or remove hostedBy',
    fieldPath: '.pools',
  },
  {
    rule: `!has(self.pools) || !(${TIER_FIELDS.map((field) => `has(self.worker.${field})`).join(' || ')} || self.worker.slots > 0 || self.worker.provider != 'cpu')`,
    message: `with pools, each pool sets provider, slots, ${TIER_FIELDS.join(', ')}: move them from worker to the pools`,
    fieldPath: '.worker',
  },
  {
    rule: '!has(self.pools) || (self.scaling.min == 0 && self.scaling.max == 1)',
    message: 'with pools, each pool sets min and max: move them from scaling to the pools',
    fieldPath: '.scaling',
  },
  {
    rule: "!has(self.pools) || self.scaling.mode == 'Sessions'",
    message: 'pools need scaling.mode Sessions: remove the mode, or remove pools',
    fieldPath: '.scaling.mode',
  },
];

/** The fields of a model spec that the rules of tiers need. */
interface TieredSpec {
  pools?: readonly Tier[];
  hostedBy?: string;
  worker: WorkerSpec;
  scaling: { mode: string; min: number; max: number };
}

/** Returns the problems of `pools` that the schema cannot detect. The API server checks the same rules with the CRD. */
export function findTierProblems({ pools, hostedBy, worker, scaling }: TieredSpec): Problem[] {
  if (pools === undefined) return [];
  const problems: Problem[] = [];
  const refuse = (field: string, message: string) => problems.push({ field, message });
  if (hostedBy !== undefined) refuse('pools', 'must not be set with hostedBy: the host sets the workers');
  const names = pools.map(({ name }) => name);
  const duplicate = names.find((name, at) => names.indexOf(name) !== at);
  if (duplicate !== undefined) refuse('pools', `has the name "${duplicate}" twice`);
  for (const [at, tier] of pools.entries()) {
    const { min, max } = tier;
    if (min > max) refuse(`pools.${at}.min`, `must not be greater than max (${max})`);
    for (const { field, message } of findClaimProblems(tier)) refuse(`pools.${at}.${field}`, message);
  }
  const instead = (field: string) => refuse(field, 'must not be set with pools: set it in each pool');
  for (const field of TIER_FIELDS) if (worker[field] !== undefined) instead(`worker.${field}`);
  if (worker.provider !== 'cpu') instead('worker.provider');
  if (worker.slots > 0) instead('worker.slots');
  if (scaling.min !== 0) instead('scaling.min');
  if (scaling.max !== 1) instead('scaling.max');
  if (scaling.mode !== 'Sessions') refuse('scaling.mode', 'must be Sessions with pools');
  return problems;
}

/** Returns the tiers of a model in order of priority, the preferred one first. */
export function sortTiers(tiers: readonly Tier[]): Tier[] {
  return tiers.toSorted((a, b) => b.priority - a.priority);
}
