import type { RedisKeys } from './keys.ts';
import type { RedisLink } from './redis/link.ts';
import { sessionDetail } from './replies.ts';
import { loadScript } from './scripts.ts';
import type { Owner } from './sessions.ts';
import type { SessionDetailRecord } from './types.ts';

const GET = loadScript('get_session');
const DELETE = loadScript('delete_session');

/**
 * Time for which a cancellation is kept for its gateway. It is longer than the time from a handshake to the start of
 * its stream.
 */
const CANCELLATION_MS = 120_000;

/** Result of a deletion. `model` is the model whose pool holds capacity for the session. */
export type Deleted = { outcome: 'expired'; model: string } | { outcome: 'active' | 'ended' | 'unknown' };

/** Creates the functions by which a tenant reads and cancels its own sessions. */
export function createSessionAccess(link: RedisLink, keys: RedisKeys, now: () => number) {
  return {
    /** Returns a session. Undefined if the tenant has no such session, or if it ended too long ago. */
    async get(tenant: string, sessionId: string): Promise<SessionDetailRecord | undefined> {
      return sessionDetail((await link.run(GET, keys.account(tenant), [sessionId])) as unknown[]);
    },

    /**
     * Ends a session that is not connected. For a connected session, records the cancellation, which its gateway finds
     * with `cancelled`. Safe to repeat.
     */
    async delete(tenant: string, sessionId: string): Promise<Deleted> {
      const reply = (await link.run(DELETE, keys.account(tenant), [sessionId])) as string[];
      const [outcome, detail = ''] = reply as [Deleted['outcome'], string?];
      if (outcome === 'expired') return { outcome, model: detail };
      if (outcome === 'active') {
        const key = keys.cancelled(detail);
        await link.send(key, ['ZADD', key, String(now()), sessionId]);
        await link.send(key, ['PEXPIRE', key, String(CANCELLATION_MS)]);
      }
      return { outcome };
    },

    /**
     * Returns the ids of sessions that their tenants have cancelled while this gateway process serves their streams.
     */
    async cancelled({ id }: Owner): Promise<string[]> {
      const key = keys.cancelled(id);
      const members = (await link.send(key, ['ZRANGE', key, '0', '-1'])) as string[];
      if (members.length > 0) {
        await link.send(key, ['ZREMRANGEBYSCORE', key, '-inf', String(now() - CANCELLATION_MS)]);
        await link.send(key, ['PEXPIRE', key, String(CANCELLATION_MS)]);
      }
      return members;
    },

    /** Removes the record of a cancellation after its stream has ended. */
    async forget({ id }: Owner, sessionId: string): Promise<void> {
      await link.send(keys.cancelled(id), ['ZREM', keys.cancelled(id), sessionId]);
    },
  };
}
