import { API_GROUP } from '@svc-asr/core';
import type { ApiKey } from '@svc-asr/core';

/** Annotation of a key with the id of the key that it replaces. */
export const REPLACES_ANNOTATION = `${API_GROUP}/replaces`;

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Returns the id of the key that this one replaces. Null if it was not created by a rotation. */
export function replacedKeyOf({ metadata }: ApiKey): string | null {
  const keyId = metadata.annotations?.[REPLACES_ANNOTATION] ?? '';
  return keyId === '' ? null : keyId;
}

/**
 * Returns when the replacement of a key expires: after the lifetime of the old key, counted from now, but at least a
 * day from now. Null if the old key never expires.
 */
export function rotatedExpiry(expiresAt: string | null, createdAt: string | undefined, nowMs: number): string | null {
  if (expiresAt === null) return null;
  const lifetimeMs = Date.parse(expiresAt) - (createdAt === undefined ? nowMs : Date.parse(createdAt));
  // A key is created shortly after its expiry was computed, so the lifetime is rounded to whole minutes.
  const wholeMs = Math.round(lifetimeMs / MINUTE_MS) * MINUTE_MS;
  return new Date(nowMs + Math.max(DAY_MS, wholeMs)).toISOString();
}

/** Returns the key with the expiry `atMs`. A key that expires earlier keeps its expiry. */
export function withEarlierExpiry(key: ApiKey, atMs: number): ApiKey {
  const { expiresAt } = key.spec;
  if (typeof expiresAt === 'string' && Date.parse(expiresAt) <= atMs) return key;
  return { ...key, spec: { ...key.spec, expiresAt: new Date(atMs).toISOString() } };
}
