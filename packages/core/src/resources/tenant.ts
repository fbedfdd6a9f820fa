import Type from 'typebox';
import type { Static } from 'typebox';
import { ATOMIC_LIST, mapBy, rules } from './extensions.ts';
import { API_VERSION, closed, Metadata, NAME_RULE } from './metadata.ts';
import { TenantStatus } from './tenant-status.ts';

export const TENANT_STATES = ['Waitlisted', 'Active', 'Suspended', 'Declined'] as const;

export const Limits = closed(
  {
    concurrentSessions: Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      default: 1,
      description: 'Sessions that may be reserved or active at the same time.',
    }),
    sessionsPerMinute: Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      default: 60,
      description: 'New sessions a minute; the burst is as large.',
    }),
    requestsPerMinute: Type.Integer({
      minimum: 1,
      maximum: 10_000_000,
      default: 600,
      description: 'Authenticated requests a minute; the burst is as large.',
    }),
  },
  { default: {}, description: 'How much the tenant may do at a time.' },
);

export const Grant = closed(
  {
    id: Type.String({
      minLength: 1,
      maxLength: 63,
      pattern: '^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$',
      description: 'Each id is applied once per tenant, for ever.',
    }),
    audioSeconds: Type.Integer({
      minimum: -1_000_000_000,
      maximum: 1_000_000_000,
      description: 'Credit added. Negative: a correction, which takes no more than is available. Cannot be changed.',
    }),
  },
  {
    description: 'Credit that is added once.',
    ...rules({
      rule: 'self.audioSeconds == oldSelf.audioSeconds',
      message:
        'a grant is applied once and cannot be changed: add a grant with another id, negative to take credit back',
      fieldPath: '.audioSeconds',
    }),
  },
);

const text = (maxLength: number, description: string) => Type.Optional(Type.String({ maxLength, description }));

export const TenantSpec = closed(
  {
    displayName: Type.String({ minLength: 1, maxLength: 200, description: 'Name of the tenant, as people read it.' }),
    state: Type.Enum([...TENANT_STATES], {
      default: 'Waitlisted',
      description: 'Only Active tenants are served; Suspended ends live streams.',
    }),
    contact: Type.Optional(
      closed(
        {
          name: text(200, 'Name of the person.'),
          email: text(320, 'E-mail address.'),
          organisation: text(200, 'Name of the organisation.'),
          use: text(4000, 'What the service is to be used for.'),
        },
        { description: 'Who applied, and what for.' },
      ),
    ),
    models: Type.Array(Type.String({ pattern: '^(\\*|[a-z0-9]([-a-z0-9]*[a-z0-9])?)$', minLength: 1, maxLength: 63 }), {
      maxItems: 256,
      default: ['*'],
      description: 'Models that the tenant may use, by name; "*" is all.',
      // Who may use what is decided in one place: two writers must not add up to more than either wrote.
      ...ATOMIC_LIST,
    }),
    limits: Limits,
    grants: Type.Array(Grant, {
      maxItems: 1000,
      default: [],
      description: 'Credit, each id once. Removing one takes no credit back, so that old ones may be removed.',
      ...mapBy('id'),
    }),
  },
  { description: 'What the administrator wants.' },
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
export type TenantLimits = Static<typeof Limits>;
