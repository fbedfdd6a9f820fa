import type { ResourceKey } from '../source.ts';

/**
 * Keeps what has vanished for a while: a resource that is cut out of one file and saved into another, or whose file is
 * deleted and written anew, must not be deleted in between. That would end a tenant's sessions.
 */
export interface Vanished<T> {
  /** `next` together with what has vanished from it since less than the grace time. */
  keep: (next: ReadonlyMap<ResourceKey, T>, nowMs: number) => Map<ResourceKey, T>;
}

/** Makes an empty memory of the vanished. */
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
