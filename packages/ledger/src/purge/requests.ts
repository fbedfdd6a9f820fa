import type { RedisKeys } from '../keys.ts';
import type { RedisLink } from '../redis/link.ts';
import { fields } from '../replies.ts';

/** A request of the console to the operator. */
export interface PurgeRequest {
  /** Identifies the request, so that the answer to an earlier one is not mistaken for its own. */
  id: string;
  /** `count` removes nothing. */
  action: 'count' | 'remove';
}

/** The answer of the operator. */
export interface PurgeAnswer {
  /** Sessions that have not ended and streams that gateways still serve. If there are any, nothing was removed. */
  liveSessions: number;
  /** Number of keys and entries of the tenant that were removed, by kind. Empty for a count. */
  removed: Readonly<Record<string, number>>;
  /** Number of keys and entries of the tenant that a scan after the removal found, by kind. */
  remaining: Readonly<Record<string, number>>;
}

/** Time after which requests and answers are deleted. The last request of any tenant starts it again. */
const LIFETIME_MS = 120_000;

type Stored = PurgeRequest & { answer?: PurgeAnswer };

/**
 * Creates the hash through which the console requests purges and the operator answers. A request of
 * a console that has stopped expires, so that it cannot remove a later tenant of the same name.
 */
export function createPurgeRequests(link: RedisLink, keys: RedisKeys) {
  const key = keys.purge();

  async function write(tenant: string, stored: Stored): Promise<void> {
    await link.send(key, ['HSET', key, tenant, JSON.stringify(stored)]);
    await link.send(key, ['PEXPIRE', key, String(LIFETIME_MS)]);
  }

  async function find(tenant: string): Promise<Stored | undefined> {
    const text = (await link.send(key, ['HGET', key, tenant])) as string | null;
    return text === null ? undefined : (JSON.parse(text) as Stored);
  }

  return {
    /** Stores a request. It replaces an earlier one for the same tenant. */
    submit: (tenant: string, request: PurgeRequest) => write(tenant, request),

    /** Deletes the request or its answer. */
    async withdraw(tenant: string): Promise<void> {
      await link.send(key, ['HDEL', key, tenant]);
    },

    /** Returns the answer to a request. Undefined if there is none yet. */
    async answerTo(tenant: string, id: string): Promise<PurgeAnswer | undefined> {
      const stored = await find(tenant);
      return stored?.id === id ? stored.answer : undefined;
    },

    /** Returns the requests without an answer, by tenant. */
    async list(): Promise<Map<string, PurgeRequest>> {
      const all = [...fields(await link.send(key, ['HGETALL', key]))];
      const stored = all.map(([tenant, text]) => [tenant, JSON.parse(text) as Stored] as const);
      return new Map(stored.filter(([, { answer }]) => answer === undefined));
    },

    /** Returns the request for a tenant. Undefined if it was answered, withdrawn or has expired. */
    async find(tenant: string): Promise<PurgeRequest | undefined> {
      const stored = await find(tenant);
      return stored?.answer === undefined ? stored : undefined;
    },

    /** Stores the answer, unless the request was withdrawn, replaced or has expired. */
    async answer(tenant: string, id: string, answer: PurgeAnswer): Promise<void> {
      const stored = await find(tenant);
      if (stored?.id === id) await write(tenant, { ...stored, answer });
    },
  };
}
