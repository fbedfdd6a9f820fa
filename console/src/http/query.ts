import { validator } from '@svc-asr/core';
import type { Request } from 'express';
import Type from 'typebox';
import type { TProperties } from 'typebox';
import { valid } from './body.ts';

/** Builds the schema of an object without additional properties. */
export const exact = <P extends TProperties>(properties: P) => Type.Object(properties, { additionalProperties: false });

export const checkNoQuery = validator(exact({}));

/** Checks a usage query. It accepts at most 400 days, because the ledger keeps usage for 400 days by default. */
const checkUsageQuery = validator(exact({ days: Type.Integer({ minimum: 1, maximum: 400, default: 30 }) }));

/**
 * Returns the query with the named parameters as numbers. A value that is not a number of up to 9 digits stays text, so
 * that the check rejects it.
 */
export function withNumbers(query: Request['query'], names: readonly string[]): Record<string, unknown> {
  const numbers = names.flatMap((name) => {
    const { [name]: text } = query;
    return typeof text === 'string' && /^\d{1,9}$/.test(text) ? [[name, Number(text)] as const] : [];
  });
  return { ...query, ...Object.fromEntries(numbers) };
}

/** Reads the `days` parameter of a usage query. */
export function readUsageQuery(query: Request['query']): number {
  return valid(checkUsageQuery(withNumbers(query, ['days']))).days;
}
