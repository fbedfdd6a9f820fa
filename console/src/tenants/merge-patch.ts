import { isObject } from '@svc-asr/core';

/**
 * Applies a JSON merge patch (RFC 7396). Objects are merged, null removes a field, and any other value (also a list)
 * replaces the target.
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}
