import { KeyModels, KeyScopes, TENANT_STATES, validator } from '@svc-asr/core';
import Type from 'typebox';
import { exact } from '../http/query.ts';
import { USAGE_FORMATS } from '../tenants/usage-export.ts';

// The validators of this file check bodies and queries of the admin API. `buildTenant` checks the body of
// PUT /tenants/:name, which is the spec of the Tenant resource.

export const checkGrantRequest = validator(
  exact({
    id: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$', maxLength: 63 })),
    audio_seconds: Type.Integer({ minimum: -1_000_000_000, maximum: 1_000_000_000 }),
    note: Type.Optional(Type.String({ maxLength: 500 })),
  }),
);

export const checkKeyRequest = validator(
  exact({
    tenant: Type.String({ minLength: 1, maxLength: 63 }),
    name: Type.Optional(Type.String({ maxLength: 200 })),
    expires_in_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 3650 })),
    expires_at: Type.Optional(Type.Union([Type.String({ format: 'date-time' }), Type.Null()])),
    scopes: Type.Optional(KeyScopes),
    models: Type.Optional(KeyModels),
  }),
);

export const checkPurgeRequest = validator(exact({ confirm: Type.Optional(Type.Boolean()) }));

export const checkRebuildRequest = validator(exact({ ledger_id: Type.String({ minLength: 1, maxLength: 128 }) }));

export const checkKeyQuery = validator(exact({ tenant: Type.Optional(Type.String()) }));

/** Body of a request that approves an application. The schema of the Tenant resource checks `models` and `limits`. */
export const checkApproval = validator(
  exact({
    audio_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000 })),
    models: Type.Optional(Type.Array(Type.String(), { maxItems: 256 })),
    limits: Type.Optional(Type.Object({})),
  }),
);

/** Body of a request that declines an application. The console shows the reason to the developer. */
export const checkDecline = validator(exact({ reason: Type.Optional(Type.String({ maxLength: 1000 })) }));

export const checkTenantsQuery = validator(
  exact({
    search: Type.Optional(Type.String({ maxLength: 200 })),
    state: Type.Optional(Type.Enum([...TENANT_STATES])),
  }),
);

export const checkJournalQuery = validator(
  exact({ after: Type.Optional(Type.String({ pattern: '^[0-9]{1,19}-[0-9]{1,19}$' })) }),
);

export const checkAdminSignIn = validator(exact({ token: Type.String({ minLength: 1, maxLength: 4096 }) }));

export const checkAuditQuery = validator(
  exact({
    tenant: Type.Optional(Type.String({ minLength: 1, maxLength: 63 })),
    actor: Type.Optional(Type.String({ minLength: 1, maxLength: 1000 })),
    action: Type.Optional(Type.String({ pattern: '^[a-z_]+(\\.[a-z_]+)*$', maxLength: 63 })),
    before: Type.Optional(Type.String({ pattern: '^[0-9]{15}-[0-9a-f]{1,64}$' })),
    limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  }),
);

const date = Type.String({ pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' });

export const checkUsageExportQuery = validator(
  exact({
    from: date,
    to: date,
    format: Type.Enum([...USAGE_FORMATS], { default: 'csv' }),
    tenant: Type.Optional(Type.String({ minLength: 1, maxLength: 63 })),
  }),
);
