import type { ResourceKey } from '../source.ts';

/**
 * Retains missing resources for a grace time. A resource may move from one file to another, or its file may be
 * recreated. If the operator deleted the resource in between, the sessions of a tenant would end.
 */
export interface DeletionGrace<T> {
  /** Returns `next` plus the resources that are missing from it for less than the grace time. */
  keep: (next: ReadonlyMap<ResourceKey, T>, nowMs: number) => Map<ResourceKey, T>;
}

export function createDeletionGrace<T>(graceMs: number): DeletionGrace<T> {
  let before: ReadonlyMap<ResourceKey, T> = new Map();
  const sinceMs = new Map<ResourceKey, number>();
  return {
    keep: (next, nowMs) => {
      const kept = new Map(next);
      for (const key of next.keys()) sinceMs.delete(key);
      for (const [key, value] of before) {
        if (next.has(key)) continue;
        const missingSinceMs = sinceMs.get(key) ?? nowMs;
        sinceMs.set(key, missingSinceMs);
        if (nowMs - missingSinceMs < graceMs) kept.set(key, value);
        else sinceMs.delete(key);
      }
      before = kept;
      return kept;
    },
  };
}
