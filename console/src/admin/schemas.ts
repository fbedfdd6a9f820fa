import { validator } from '@svc-asr/core';
import type { Request } from 'express';
import Type from 'typebox';
import type { TProperties } from 'typebox';
import { valid } from './body.ts';

const exact = <P extends TProperties>(properties: P) => Type.Object(properties, { additionalProperties: false });

/** Bodies and queries of the admin API. That of PUT /tenants/:name is the spec of the Tenant resource. */
export const checkGrantRequest = validator(
  exact({
    id: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$', maxLength: 63 })),
    audio_seconds: Type.Integer({ minimum: -1_000_000_000, maximum: 1_000_000_000 }),
  }),
);

export const checkKeyRequest = validator(
  exact({
    tenant: Type.String({ minLength: 1, maxLength: 63 }),
    name: Type.Optional(Type.String({ maxLength: 200 })),
    expires_in_days: Type.Optional(Type.Integer({ minimum: 1, maximum: 3650 })),
    expires_at: Type.Optional(Type.Union([Type.String({ format: 'date-time' }), Type.Null()])),
  }),
);

export const checkRebuildRequest = validator(exact({ ledger_id: Type.String({ minLength: 1, maxLength: 128 }) }));

export const checkNoQuery = validator(exact({}));

export const checkKeyQuery = validator(exact({ tenant: Type.Optional(Type.String()) }));

/** The ledger keeps 400 days. */
const checkUsageQuery = validator(exact({ days: Type.Integer({ minimum: 1, maximum: 400, default: 30 }) }));

/** The days that a query asks for. */
export function readUsageQuery(query: Request['query']): number {
  const { days: asked } = query;
  const given = typeof asked === 'string' && /^\d{1,9}$/.test(asked) ? { days: Number(asked) } : {};
  return valid(checkUsageQuery({ ...query, ...given })).days;
}

export const checkApproval = validator(
  exact({ audio_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000 })) }),
);

export const checkJournalQuery = validator(
  exact({ after: Type.Optional(Type.String({ pattern: '^[0-9]{1,19}-[0-9]{1,19}$' })) }),
);
