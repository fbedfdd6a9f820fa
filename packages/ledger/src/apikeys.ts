import type { RedisKeys } from './keys.ts';
import { scanKeys } from './purge/scan.ts';
import type { RedisLink } from './redis/link.ts';
import { fields } from './replies.ts';
import { loadScript } from './scripts.ts';
import type { KeyRecord } from './types.ts';

const REVOKE = loadScript('revoke_key');
const TOUCH = loadScript('touch_key');

/**
 * Prefix of the stored hash if the key is limited to scopes or models. Gateways of earlier versions do not know these
 * limits. They find that no key matches the prefixed hash, so they refuse the key instead of allowing it everything.
 */
const LIMITED_PREFIX = 'limited:';
/** Value that is stored instead of a list if the key is not limited. Records of earlier versions have no lists. */
const UNLIMITED = '*';

/** Creates the index of API keys. It maps the public id of a key to its tenant and hash. */
export function createApiKeys(link: RedisLink, keys: RedisKeys, options: { retentionMs: number }) {
  async function revoke(keyId: string): Promise<void> {
    await link.run(REVOKE, keys.apiKey(keyId), [options.retentionMs]);
  }

  return {
    /**
     * Stores a key. If a revoked key is stored again within the retention time, it stays revoked. Its record then does
     * not expire until the ApiKey resource is deleted.
     */
    async put(keyId: string, record: Omit<KeyRecord, 'revoked'>): Promise<void> {
      const key = keys.apiKey(keyId);
      const { tenant, hash, pepperId, expiresAtMs, scopes, models } = record;
      const storedHash = scopes === undefined && models === undefined ? hash : LIMITED_PREFIX + hash;
      const values = ['tenant', tenant, 'hash', storedHash, 'pepper', pepperId, 'expires', String(expiresAtMs ?? '')];
      values.push('scopes', writeList(scopes), 'models', writeList(models));
      // The record of a revoked key must not expire while its resource exists. Otherwise the next write would make the
      // key valid again.
      await link.send(key, ['PERSIST', key]);
      await link.send(key, ['HSET', key, ...values]);
    },

    /** Revokes a key. Its record is kept for the retention time, so that gateways can report it as revoked. */
    revoke,

    /**
     * Sets the expiry of revoked records that have none, because an earlier version wrote them. Skips keys whose ApiKey
     * resource exists.
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

    /** Returns the time of the last use in milliseconds since the epoch. Undefined if none is stored. */
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
