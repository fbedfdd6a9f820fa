import type { KeyRecord, Ledger } from '@svc-asr/ledger';

/** A key's record while it is remembered. */
export interface FoundKey extends KeyRecord {
  /** SHA-256 of the key whose HMAC was found right: to compare with it is cheaper than another HMAC. */
  verifiedDigest?: string;
}

/** Finds API keys by their public id, remembers each for a moment, and writes down now and then that it was used. */
export interface KeyLookup {
  /** A record that is remembered, without asking Redis. */
  cached: (keyId: string) => FoundKey | undefined;
  find: (keyId: string) => Promise<FoundKey | undefined>;
  touch: (keyId: string) => void;
}

const MAX_CACHED = 10_000;

export function createKeyLookup(
  keys: Ledger['apiKeys'],
  options: { cacheMs: number; touchMs: number; now?: () => number },
): KeyLookup {
  const now = options.now ?? (() => performance.now());
  const cache = new Map<string, { record: FoundKey; untilMs: number }>();
  const touchedAtMs = new Map<string, number>();

  return {
    cached(keyId) {
      const entry = cache.get(keyId);
      if (entry !== undefined && now() < entry.untilMs) return entry.record;
      cache.delete(keyId);
      return undefined;
    },

    async find(keyId) {
      // The time before the question: a revocation during the look-up must not be hidden longer than cacheMs.
      const untilMs = now() + options.cacheMs;
      const record = await keys.find(keyId);
      cache.delete(keyId);
      if (record !== undefined) cache.set(keyId, { record, untilMs });
      evictOldest(cache);
      return record;
    },

    touch(keyId) {
      const last = touchedAtMs.get(keyId);
      if (last !== undefined && now() - last < options.touchMs) return;
      touchedAtMs.delete(keyId);
      touchedAtMs.set(keyId, now());
      evictOldest(touchedAtMs);
      // Last use is a courtesy: when Redis is away it is not worth an error.
      keys.touch(keyId).catch(() => touchedAtMs.delete(keyId));
    },
  };
}

function evictOldest(map: Map<string, unknown>): void {
  if (map.size <= MAX_CACHED) return;
  const oldest = map.keys().next();
  if (oldest.done !== true) map.delete(oldest.value);
}
