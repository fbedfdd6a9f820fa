import { validator } from '@svc-asr/core';
import type { Request } from 'express';
import Type from 'typebox';
import type { TProperties } from 'typebox';
import { valid } from './body.ts';

/** An object that takes no field but those listed. */
export const exact = <P extends TProperties>(properties: P) => Type.Object(properties, { additionalProperties: false });

export const checkNoQuery = validator(exact({}));

/** The ledger keeps 400 days. */
const checkUsageQuery = validator(exact({ days: Type.Integer({ minimum: 1, maximum: 400, default: 30 }) }));

/** The days that a query asks for. */
export function readUsageQuery(query: Request['query']): number {
  const { days: asked } = query;
  const given = typeof asked === 'string' && /^\d{1,9}$/.test(asked) ? { days: Number(asked) } : {};
  return valid(checkUsageQuery({ ...query, ...given })).days;
}
