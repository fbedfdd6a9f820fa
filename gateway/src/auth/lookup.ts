import type { KeyRecord, Ledger } from '@svc-asr/ledger';
import { equalTexts } from '@svc-asr/runtime';
import { evictOldest } from './evict-oldest.ts';

/** Cached record of an API key. */
export interface FoundKey extends KeyRecord {
  /**
   * SHA-256 of the key, set once the HMAC of the key was verified. Later checks compare this digest, which is cheaper
   * than another HMAC.
   */
  verifiedDigest?: string;
}

/**
 * Finds API keys by their public id and caches them for a short time. Also records from time to time that a key is
 * used.
 */
export interface KeyLookup {
  /** Returns the record if it is cached. Sends no request to Redis. */
  cached: (keyId: string) => FoundKey | undefined;
  find: (keyId: string) => Promise<FoundKey | undefined>;
  /**
   * Returns true if this gateway has once verified a key with this id and digest. The record of the key may no longer
   * be cached, and the key may have been revoked since.
   */
  wasVerified: (keyId: string, digest: string) => boolean;
  /** Stores the digest of a verified key. */
  remember: (keyId: string, digest: string) => void;
  /** Records that the key was used, at most once per `touchMs`. */
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
  const digests = new Map<string, string>();

  return {
    cached(keyId) {
      const entry = cache.get(keyId);
      if (entry !== undefined && now() < entry.untilMs) return entry.record;
      cache.delete(keyId);
      return undefined;
    },

    async find(keyId) {
      // The cache time starts before the request to Redis. A revocation during the lookup is then not hidden for longer
      // than cacheMs.
      const untilMs = now() + options.cacheMs;
      const record = await keys.find(keyId);
      cache.delete(keyId);
      if (record !== undefined) cache.set(keyId, { record, untilMs });
      evictOldest(cache, MAX_CACHED);
      return record;
    },

    wasVerified: (keyId, digest) => equalTexts(digests.get(keyId) ?? '', digest),

    remember(keyId, digest) {
      digests.set(keyId, digest);
      evictOldest(digests, MAX_CACHED);
    },

    touch(keyId) {
      const last = touchedAtMs.get(keyId);
      if (last !== undefined && now() - last < options.touchMs) return;
      touchedAtMs.delete(keyId);
      touchedAtMs.set(keyId, now());
      evictOldest(touchedAtMs, MAX_CACHED);
      // The time of the last use is only informative, so a failure is ignored.
      keys.touch(keyId).catch(() => touchedAtMs.delete(keyId));
    },
  };
}
