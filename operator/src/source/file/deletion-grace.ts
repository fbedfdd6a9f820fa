import type { ResourceKey } from '../source.ts';

/**
 * Retains missing resources for a grace time. A resource may move from one file to another, or its file may be
 * recreated. Deleting it in between would end the sessions of a tenant.
 */
export interface Vanished<T> {
  /** Returns `next` plus the resources that are missing from it for less than the grace time. */
  keep: (next: ReadonlyMap<ResourceKey, T>, nowMs: number) => Map<ResourceKey, T>;
}

export function createVanished<T>(graceMs: number): Vanished<T> {
  let before: ReadonlyMap<ResourceKey, T> = new Map();
  const sinceMs = new Map<ResourceKey, number>();
  return {
    keep: (next, nowMs) => {
      const kept = new Map(next);
      for (const key of next.keys()) sinceMs.delete(key);
      for (const [key, value] of before) {
        if (next.has(key)) continue;
        const vanishedMs = sinceMs.get(key) ?? nowMs;
        sinceMs.set(key, vanishedMs);
        if (nowMs - vanishedMs < graceMs) kept.set(key, value);
        else sinceMs.delete(key);
      }
      before = kept;
      return kept;
    },
  };
}
