import { createHash } from 'node:crypto';

const DIGEST_CHARACTERS = 12;

/** A short digest of a value; the order in which somebody wrote the fields of an object means nothing to it. */
export function digestOf(value: unknown): string {
  const text = JSON.stringify(value, sortKeys);
  return createHash('sha256').update(text).digest('hex').slice(0, DIGEST_CHARACTERS);
}

function sortKeys(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
