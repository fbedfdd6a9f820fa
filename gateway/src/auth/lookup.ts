import type { KeyRecord, Ledger } from '@svc-asr/ledger';

/** A key's record while it is remembered. */
export interface FoundKey extends KeyRecord {
  /** SHA-256 of the key whose HMAC was found right: to compare with it is cheaper than another HMAC. */
  proven?: string;
}

/** Finds API keys by their public id, remembers each for a moment, and writes down now and then that it was used. */
export interface KeyLookup {
  /** A record that is remembered, without asking Redis. */
  remembered: (keyId: string) => FoundKey | undefined;
  find: (keyId: string) => Promise<FoundKey | undefined>;
  used: (keyId: string) => void;
}

const MAX_REMEMBERED = 10_000;

export function createKeyLookup(
  keys: Ledger['keys'],
  options: { cacheMs: number; touchMs: number; now?: () => number },
): KeyLookup {
  const now = options.now ?? (() => performance.now());
  const cache = new Map<string, { record: FoundKey; untilMs: number }>();
  const touched = new Map<string, number>();

  return {
    remembered(keyId) {
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
      forgetOldest(cache);
      return record;
    },

    used(keyId) {
      const last = touched.get(keyId);
      if (last !== undefined && now() - last < options.touchMs) return;
      touched.delete(keyId);
      touched.set(keyId, now());
      forgetOldest(touched);
      // Last use is a courtesy: when Redis is away it is not worth an error.
      keys.touch(keyId).catch(() => touched.delete(keyId));
    },
  };
}

function forgetOldest(map: Map<string, unknown>): void {
  if (map.size <= MAX_REMEMBERED) return;
  const oldest = map.keys().next();
  if (oldest.done !== true) map.delete(oldest.value);
}
