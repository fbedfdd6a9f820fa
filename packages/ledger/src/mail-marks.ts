import type { RedisKeys } from './keys.ts';
import type { RedisLink } from './redis/link.ts';

/**
 * Creates access to the marks of mails that were sent about a tenant. A mark is a key of the tenant, so that a purge
 * removes it. If several consoles try to set the same mark, only the one that succeeds sends the mail.
 */
export function createMailMarks(link: RedisLink, keys: RedisKeys) {
  return {
    /** Sets a mark for a limited time. Returns false if it was set already. */
    async claim(tenant: string, mail: string, lifetimeMs: number): Promise<boolean> {
      const key = keys.mailed(tenant, mail);
      return (await link.send(key, ['SET', key, '1', 'NX', 'PX', String(lifetimeMs)])) !== null;
    },

    /** Removes a mark, so that the mail is sent later. */
    async release(tenant: string, mail: string): Promise<void> {
      const key = keys.mailed(tenant, mail);
      await link.send(key, ['DEL', key]);
    },
  };
}
