import Type from 'typebox';
import type { Static } from 'typebox';
import { API_VERSION, closed, Metadata, ResourceName } from './metadata.ts';

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
  { default: {} },
);

export const Grant = closed({
  id: Type.String({
    minLength: 1,
    maxLength: 63,
    pattern: '^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$',
    description: 'Each id is applied once per tenant, for ever.',
  }),
  audioSeconds: Type.Integer({
    minimum: -1_000_000_000,
    maximum: 1_000_000_000,
    description: 'Credit added. Negative: a correction, which takes no more than is available.',
  }),
});

export const TenantSpec = closed({
  displayName: Type.String({ minLength: 1, maxLength: 200 }),
  state: Type.Enum([...TENANT_STATES], { default: 'Waitlisted' }),
  contact: Type.Optional(
    closed({
      name: Type.Optional(Type.String({ maxLength: 200 })),
      email: Type.Optional(Type.String({ maxLength: 320 })),
      organisation: Type.Optional(Type.String({ maxLength: 200 })),
      use: Type.Optional(Type.String({ maxLength: 4000 })),
    }),
  ),
  models: Type.Array(Type.Union([Type.Literal('*'), ResourceName]), {
    maxItems: 256,
    default: ['*'],
    description: 'Models that the tenant may use; "*" is all.',
  }),
  limits: Limits,
  grants: Type.Array(Grant, { maxItems: 1000, default: [], description: 'A map by id; append only.' }),
});

export const Tenant = Type.Object({
  apiVersion: Type.Literal(API_VERSION),
  kind: Type.Literal('Tenant'),
  metadata: Metadata,
  spec: TenantSpec,
});
export type Tenant = Static<typeof Tenant>;
export type TenantState = (typeof TENANT_STATES)[number];
export type TenantLimits = Static<typeof Limits>;
