import type { RedisKeys } from '../keys.ts';
import type { RedisLink } from '../redis/link.ts';
import { fields, numbers } from '../replies.ts';

/** A request of the console to the operator, about the data of one tenant. */
export interface PurgeRequest {
  /**
   * Id of the request. It prevents that the console takes the answer to an earlier request for the answer to this one.
   */
  id: string;
  /**
   * `check` counts live sessions. `count` also counts the keys and entries that `remove` would remove. Only `remove`
   * changes data.
   */
  action: 'check' | 'count' | 'remove';
}

/** Answer of the operator to a purge request. */
export interface PurgeAnswer {
  /**
   * Number of sessions that have not ended and of streams that gateways still serve. If it is not 0, nothing was
   * removed.
   */
  liveSessions: number;
  /** Number of keys and entries of the tenant that were removed, by kind. Empty if nothing was removed. */
  removed: Readonly<Record<string, number>>;
  /**
   * Number of keys and entries of the tenant that a scan after the removal found, by kind. Empty for a `check`, and for
   * a `remove` that live sessions prevented.
   */
  remaining: Readonly<Record<string, number>>;
}

/** A request as it is stored. `expiresAtMs` is a time of the clock of Redis. */
type Stored = PurgeRequest & { expiresAtMs: number; answer?: PurgeAnswer };

/**
 * Creates access to the hash in which the console requests purges and the operator answers. A request expires when its
 * console stops waiting, so that it cannot remove a later tenant of the same name. One command stores the request and
 * its expiry. A failure between two commands would leave a request that never expires.
 */
export function createPurgeRequests(link: RedisLink, keys: RedisKeys) {
  const key = keys.purge();

  async function write(tenant: string, stored: Stored): Promise<void> {
    await link.send(key, ['HSET', key, tenant, JSON.stringify(stored)]);
  }

  async function readTimeMs(): Promise<number> {
    const [seconds = 0, microseconds = 0] = numbers(await link.send(key, ['TIME']));
    return seconds * 1000 + Math.floor(microseconds / 1000);
  }

  async function withdraw(tenant: string): Promise<void> {
    await link.send(key, ['HDEL', key, tenant]);
  }

  async function find(tenant: string): Promise<Stored | undefined> {
    const text = (await link.send(key, ['HGET', key, tenant])) as string | null;
    return text === null ? undefined : (JSON.parse(text) as Stored);
  }

  return {
    /** Stores a request that expires after `timeoutMs`. It replaces an earlier one for the same tenant. */
    async submit(tenant: string, request: PurgeRequest, timeoutMs: number): Promise<void> {
      await write(tenant, { ...request, expiresAtMs: (await readTimeMs()) + timeoutMs });
    },

    /** Deletes the request for a tenant, or the answer to it. */
    withdraw,

    /** Returns the answer to a request. Undefined if there is none yet. */
    async answerTo(tenant: string, id: string): Promise<PurgeAnswer | undefined> {
      const stored = await find(tenant);
      return stored?.id === id ? stored.answer : undefined;
    },

    /** Returns the requests without an answer, by tenant. Deletes requests and answers that have expired. */
    async list(): Promise<Map<string, PurgeRequest>> {
      const all = fields(await link.send(key, ['HGETALL', key]));
      const open = new Map<string, PurgeRequest>();
      if (all.size === 0) return open;
      const nowMs = await readTimeMs();
      for (const [tenant, text] of all) {
        const stored = JSON.parse(text) as Stored;
        if (!isValid(stored, nowMs)) await withdraw(tenant);
        else if (stored.answer === undefined) open.set(tenant, { id: stored.id, action: stored.action });
      }
      return open;
    },

    /**
     * Returns the request for a tenant. Undefined if there is none, or if it was answered, withdrawn or has expired.
     */
    async find(tenant: string): Promise<PurgeRequest | undefined> {
      const stored = await find(tenant);
      if (stored === undefined || stored.answer !== undefined) return undefined;
      return isValid(stored, await readTimeMs()) ? { id: stored.id, action: stored.action } : undefined;
    },

    /** Stores the answer, unless the request was withdrawn or replaced. */
    async answer(tenant: string, id: string, answer: PurgeAnswer): Promise<void> {
      const stored = await find(tenant);
      if (stored?.id === id) await write(tenant, { ...stored, answer });
    },
  };
}

/** Returns whether a stored request has an expiry that has not passed. */
function isValid({ expiresAtMs }: Partial<Stored>, nowMs: number): boolean {
  return expiresAtMs !== undefined && nowMs < expiresAtMs;
}
