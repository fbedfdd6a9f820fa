import type { RedisKeys } from './keys.ts';
import { scanKeys } from './purge/scan.ts';
import type { RedisLink } from './redis/link.ts';
import { fields } from './replies.ts';
import { loadScript } from './scripts.ts';
import type { KeyRecord } from './types.ts';

const REVOKE = loadScript('revoke_key');
const TOUCH = loadScript('touch_key');

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
      const { tenant, hash, pepperId, expiresAtMs } = record;
      const values = ['tenant', tenant, 'hash', hash, 'pepper', pepperId, 'expires', String(expiresAtMs ?? '')];
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
      return {
        tenant,
        hash: record.get('hash') ?? '',
        pepperId: record.get('pepper') ?? '',
        expiresAtMs: expires === '' ? null : Number(expires),
        revoked: record.get('revoked') === '1',
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
