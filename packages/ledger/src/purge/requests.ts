import type { RedisKeys } from '../keys.ts';
import type { RedisLink } from '../redis/link.ts';
import { fields, numbers } from '../replies.ts';

/** A request of the console to the operator, about the data of one tenant. */
export interface PurgeRequest {
  tenant: string;
  /** Unique id, so that several consoles can send requests for one tenant at the same time. */
  id: string;
  /**
   * `check` counts live sessions. `count` also counts all keys and entries of the tenant. Only `remove` changes data.
   */
  action: 'check' | 'count' | 'remove';
}

/** Answer of the operator to a purge request. */
export interface PurgeAnswer {
  /**
   * Number of sessions that have not ended, or number of streams that gateways still serve, whichever is larger. If it
   * is not 0, nothing was removed.
   */
  liveSessions: number;
  /** Number of keys and entries of the tenant that were removed, by kind. Empty if nothing was removed. */
  removed: Readonly<Record<string, number>>;
  /**
   * Number of keys and entries of the tenant that exist, by kind. For a `remove`, they were counted after the removal.
   * Empty for a `check`, and for a `remove` that live sessions prevented.
   */
  remaining: Readonly<Record<string, number>>;
}

/** A request as it is stored. `expiresAtMs` is a time of the clock of Redis. */
interface Stored {
  action: PurgeRequest['action'];
  expiresAtMs: number;
  answer?: PurgeAnswer;
}

/**
 * Creates access to the hash in which the console requests purges and the operator answers. Each request has its own
 * field, so that the answer to one request never overwrites another request. A request expires when its console stops
 * waiting, so that it cannot remove a later tenant of the same name. One command stores the request and its expiry. A
 * failure between two commands would leave a request that never expires.
 */
export function createPurgeRequests(link: RedisLink, keys: RedisKeys) {
  const key = keys.purge();

  async function write(field: string, stored: Stored): Promise<void> {
    await link.send(key, ['HSET', key, field, JSON.stringify(stored)]);
  }

  async function remove(field: string): Promise<void> {
    await link.send(key, ['HDEL', key, field]);
  }

  async function read(field: string): Promise<Stored | undefined> {
    const text = (await link.send(key, ['HGET', key, field])) as string | null;
    return text === null ? undefined : (JSON.parse(text) as Stored);
  }

  async function readTimeMs(): Promise<number> {
    const [seconds = 0, microseconds = 0] = numbers(await link.send(key, ['TIME']));
    return seconds * 1000 + Math.floor(microseconds / 1000);
  }

  return {
    /** Stores a request that expires after `timeoutMs`. */
    async submit({ tenant, id, action }: PurgeRequest, timeoutMs: number): Promise<void> {
      await write(fieldOf({ tenant, id }), { action, expiresAtMs: (await readTimeMs()) + timeoutMs });
    },

    /** Deletes a request and its answer. */
    withdraw: (request: RequestId): Promise<void> => remove(fieldOf(request)),

    /** Returns the answer to a request. Undefined if there is none yet. */
    async answerTo(request: RequestId): Promise<PurgeAnswer | undefined> {
      return (await read(fieldOf(request)))?.answer;
    },

    /** Returns the requests without an answer. Deletes requests and answers that have expired. */
    async list(): Promise<PurgeRequest[]> {
      const all = fields(await link.send(key, ['HGETALL', key]));
      const open: PurgeRequest[] = [];
      if (all.size === 0) return open;
      const nowMs = await readTimeMs();
      for (const [field, text] of all) {
        const { action, expiresAtMs, answer } = JSON.parse(text) as Stored;
        const [tenant = '', id] = field.split('/');
        if (id === undefined || !(nowMs < expiresAtMs)) await remove(field);
        else if (answer === undefined) open.push({ tenant, id, action });
      }
      return open;
    },

    /** Stores the answer, unless the request was withdrawn. */
    async answer(request: RequestId, answer: PurgeAnswer): Promise<void> {
      const field = fieldOf(request);
      const stored = await read(field);
      // If the console withdraws the request between the read and the write, the answer is stored until it expires.
      if (stored !== undefined) await write(field, { ...stored, answer });
    },
  };
}

type RequestId = Pick<PurgeRequest, 'tenant' | 'id'>;

function fieldOf({ tenant, id }: RequestId): string {
  return `${tenant}/${id}`;
}
