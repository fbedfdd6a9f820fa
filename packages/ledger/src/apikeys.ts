import type { RedisKeys } from './keys.ts';
import { scanKeys } from './purge/scan.ts';
import type { RedisLink } from './redis/link.ts';
import { fields } from './replies.ts';
import { loadScript } from './scripts.ts';
import type { KeyRecord } from './types.ts';

const REVOKE = loadScript('revoke_key');
const TOUCH = loadScript('touch_key');

/**
 * Start of the stored hash of a key with scopes or models. Gateways of earlier versions do not know these limits. For
 * them no key matches the hash, so they refuse the key instead of allowing it everything.
 */
const LIMITED_PREFIX = 'limited:';
/** Stored instead of a list that does not limit the key. Records of earlier versions have no lists. */
const UNLIMITED = '*';

/** Creates the index from the public id of an API key to its tenant and hash. */
export function createApiKeys(link: RedisLink, keys: RedisKeys, options: { retentionMs: number }) {
  async function revoke(keyId: string): Promise<void> {
    await link.run(REVOKE, keys.apiKey(keyId), [options.retentionMs]);
  }

  return {
    /**
     * Stores a key. A revoked key stays revoked if its resource is applied again within the retention time. Its record
     * then does not expire before the resource is deleted.
     */
    async put(keyId: string, record: Omit<KeyRecord, 'revoked'>): Promise<void> {
      const key = keys.apiKey(keyId);
      const { tenant, hash, pepperId, expiresAtMs, scopes, models } = record;
      const storedHash = scopes === undefined && models === undefined ? hash : LIMITED_PREFIX + hash;
      const values = ['tenant', tenant, 'hash', storedHash, 'pepper', pepperId, 'expires', String(expiresAtMs ?? '')];
      values.push('scopes', writeList(scopes), 'models', writeList(models));
      // The record of a revoked key must not expire while its resource exists. The key would then work again.
      await link.send(key, ['PERSIST', key]);
      await link.send(key, ['HSET', key, ...values]);
    },

    /** Revokes a key. Its record is kept for the retention time, so that gateways can report it as revoked. */
    revoke,

    /**
     * Sets the expiry of revoked records that have none, because an earlier version wrote them. Records with a resource
     * are left out.
     */
    async expireRevoked(hasResource: (keyId: string) => boolean): Promise<void> {
      const [start = '', end = ''] = keys.apiKey('|').split('|');
      for await (const names of scanKeys(link, start)) {
        for (const name of names) {
          const keyId = name.slice(start.length, -end.length);
          const isRevoked = (await link.send(name, ['HGET', name, 'revoked'])) === '1';
          if (isRevoked && !hasResource(keyId)) await revoke(keyId);
        }
      }
    },

    async find(keyId: string): Promise<KeyRecord | undefined> {
      const key = keys.apiKey(keyId);
      const record = fields(await link.send(key, ['HGETALL', key]));
      const tenant = record.get('tenant');
      if (tenant === undefined) return undefined;
      const expires = record.get('expires') ?? '';
      const scopes = readList(record.get('scopes'));
      const models = readList(record.get('models'));
      return {
        tenant,
        hash: (record.get('hash') ?? '').replace(LIMITED_PREFIX, ''),
        pepperId: record.get('pepper') ?? '',
        expiresAtMs: expires === '' ? null : Number(expires),
        revoked: record.get('revoked') === '1',
        ...(scopes !== undefined && { scopes }),
        ...(models !== undefined && { models }),
      };
    },

    /** Records that a key was used now. */
    async touch(keyId: string): Promise<void> {
      await link.run(TOUCH, keys.apiKey(keyId), []);
    },

    /** Returns the time of the last use in milliseconds. Undefined if the key was never used. */
    async lastUsed(keyId: string): Promise<number | undefined> {
      const key = keys.apiKey(keyId);
      const used = (await link.send(key, ['HGET', key, 'used'])) as string | null;
      return used === null ? undefined : Number(used);
    },
  };
}

function writeList(names: readonly string[] | undefined): string {
  return names === undefined ? UNLIMITED : names.join(' ');
}

function readList(text: string | undefined): string[] | undefined {
  return text === undefined || text === UNLIMITED ? undefined : text.split(' ').filter((name) => name !== '');
}
