import Type from 'typebox';
import type { Static } from 'typebox';
import { ATOMIC_LIST, mapBy, rules } from './extensions.ts';
import { API_VERSION, closed, Metadata, NAME_RULE } from './metadata.ts';
import { TenantStatus } from './tenant-status.ts';

/** Priorities of tenants, the highest first. */
export const TENANT_PRIORITIES = ['high', 'normal', 'low'] as const;

export const TENANT_STATES = ['Waitlisted', 'Active', 'Suspended', 'Declined'] as const;

const ModelLimits = closed(
  {
    model: Type.String({
      pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
      minLength: 1,
      maxLength: 63,
      description: 'Name of the model. The condition UnknownModels lists names without an ASRModel.',
    }),
    concurrentSessions: Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'Maximum number of reserved or active sessions of the model.',
    }),
  },
  { description: 'Limits of one model.' },
);

export const Limits = closed(
  {
    concurrentSessions: Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      default: 1,
      description: 'Maximum number of reserved or active sessions.',
    }),
    sessionsPerMinute: Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      default: 60,
      description: 'Maximum number of new sessions per minute, and size of a burst.',
    }),
    requestsPerMinute: Type.Integer({
      minimum: 1,
      maximum: 10_000_000,
      default: 600,
      description: 'Maximum number of authenticated requests per minute, and size of a burst.',
    }),
    models: Type.Optional(
      Type.Array(ModelLimits, {
        maxItems: 256,
        description: 'Limits of single models, in addition to those of the tenant.',
        ...mapBy('model'),
      }),
    ),
  },
  { default: {}, description: 'Limits of the tenant.' },
);

export const Budget = closed(
  {
    monthlyAudioSeconds: Type.Integer({
      minimum: 1,
      maximum: 1_000_000_000,
      description:
        'Credit per month. A budget that is added in the middle of a month grants the whole amount for this month. A change applies at once to the current month.',
    }),
  },
  {
    description:
      'Credit that renews at the start of each month, in UTC. It is used before grants, and its unused part expires.',
  },
);

export const Grant = closed(
  {
    id: Type.String({
      minLength: 1,
      maxLength: 63,
      pattern: '^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$',
      description: 'Id of the grant. Each id is applied once per tenant.',
    }),
    audioSeconds: Type.Integer({
      minimum: -1_000_000_000,
      maximum: 1_000_000_000,
      description:
        'Credit to add. A negative value is a correction, which removes at most the available credit of grants. Immutable.',
    }),
    note: Type.Optional(
      Type.String({ maxLength: 500, description: 'Note for administrators, such as the reason of a correction.' }),
    ),
  },
  {
    description: 'A grant of credit, applied once.',
    ...rules({
      rule: 'self.audioSeconds == oldSelf.audioSeconds',
      message:
        'a grant is applied once and cannot be changed: add a grant with another id, or with a negative amount to remove credit',
      fieldPath: '.audioSeconds',
    }),
  },
);

const text = (maxLength: number, description: string) => Type.Optional(Type.String({ maxLength, description }));

export const TenantSpec = closed(
  {
    displayName: Type.String({ minLength: 1, maxLength: 200, description: 'Display name of the tenant.' }),
    state: Type.Enum([...TENANT_STATES], {
      default: 'Waitlisted',
      description: 'State of the tenant. Only Active tenants are served. A change to another state ends live streams.',
    }),
    contact: Type.Optional(
      closed(
        {
          name: text(200, 'Name of the applicant.'),
          email: text(320, 'E-mail address.'),
          organisation: text(200, 'Name of the organisation.'),
          use: text(4000, 'Intended use of the service.'),
        },
        { description: 'Contact details from the application of the tenant.' },
      ),
    ),
    models: Type.Array(Type.String({ pattern: '^(\\*|[a-z0-9]([-a-z0-9]*[a-z0-9])?)$', minLength: 1, maxLength: 63 }), {
      maxItems: 256,
      default: ['*'],
      description: 'Names of the models that the tenant may use. "*" allows all models.',
      // The list is atomic. Merging the lists of two writers would allow more models than either of them allowed.
      ...ATOMIC_LIST,
    }),
    priority: Type.Optional(
      Type.Enum([...TENANT_PRIORITIES], {
        description:
          'Order of new streams that wait for a worker: high, then normal, then low. After four streams of one priority, a stream of a lower priority has its turn. normal if omitted.',
      }),
    ),
    limits: Limits,
    budget: Type.Optional(Budget),
    grants: Type.Array(Grant, {
      maxItems: 1000,
      default: [],
      description:
        'Grants of credit. Each id is applied once. Removing a grant does not remove credit, so old grants may be deleted.',
      ...mapBy('id'),
    }),
  },
  { description: 'Desired state of the tenant.' },
);

export const Tenant = Type.Object(
  {
    apiVersion: Type.Literal(API_VERSION),
    kind: Type.Literal('Tenant'),
    metadata: Metadata,
    spec: TenantSpec,
    status: Type.Optional(TenantStatus),
  },
  { description: 'A customer of the service: state, scope, limits and credit.', ...rules(NAME_RULE) },
);
export type Tenant = Static<typeof Tenant>;
export type TenantState = (typeof TENANT_STATES)[number];
export type TenantPriority = (typeof TENANT_PRIORITIES)[number];
export type TenantLimits = Static<typeof Limits>;
