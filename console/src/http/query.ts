import { validator } from '@svc-asr/core';
import type { Request } from 'express';
import Type from 'typebox';
import type { TProperties } from 'typebox';
import { valid } from './body.ts';

/** Builds the schema of an object without additional properties. */
export const exact = <P extends TProperties>(properties: P) => Type.Object(properties, { additionalProperties: false });

export const checkNoQuery = validator(exact({}));

/** The ledger keeps usage for 400 days. */
const checkUsageQuery = validator(exact({ days: Type.Integer({ minimum: 1, maximum: 400, default: 30 }) }));

/** Reads the `days` parameter of a usage query. */
export function readUsageQuery(query: Request['query']): number {
  const { days: requested } = query;
  const given = typeof requested === 'string' && /^\d{1,9}$/.test(requested) ? { days: Number(requested) } : {};
  return valid(checkUsageQuery({ ...query, ...given })).days;
}
