import type { RedisKeys } from './keys.ts';
import type { RedisLink } from './redis/link.ts';
import { fields } from './replies.ts';

/** A session of a developer who signed in to the console with OpenID Connect. */
export interface ConsoleSessionRecord {
  /** Digest of the secret in the cookie. */
  readonly secretHash: string;
  readonly expiresAtMs: number;
  readonly issuer: string;
  readonly subject: string;
  readonly name: string | null;
  readonly email: string | null;
}

/** Maximum number of sessions of one user. If a user starts one more, the session that expires first is ended. */
const MAX_SESSIONS = 20;

/**
 * Creates access to the sessions of developers who signed in to the console. All sessions of a user are in one hash, so
 * that one command ends all of them. `user` is a digest of the identity of the user. The hash expires with its last
 * session.
 */
export function createConsoleSessions(link: RedisLink, keys: RedisKeys) {
  async function readAll(key: string): Promise<[id: string, record: ConsoleSessionRecord][]> {
    const all = fields(await link.send(key, ['HGETALL', key]));
    return [...all].map(([id, text]) => [id, JSON.parse(text) as ConsoleSessionRecord]);
  }

  return {
    /** Stores a session. Removes expired sessions of the user and those beyond the maximum. */
    async put(user: string, id: string, record: ConsoleSessionRecord, nowMs: number): Promise<void> {
      const key = keys.consoleSessions(user);
      const known = (await readAll(key)).sort(([, a], [, b]) => b.expiresAtMs - a.expiresAtMs);
      const obsolete = known.filter(([, { expiresAtMs }], at) => expiresAtMs <= nowMs || at >= MAX_SESSIONS - 1);
      if (obsolete.length > 0) await link.send(key, ['HDEL', key, ...obsolete.map(([old]) => old)]);
      await link.send(key, ['HSET', key, id, JSON.stringify(record)]);
      // All sessions have the same lifetime, so the newest one expires last.
      await link.send(key, ['PEXPIRE', key, String(Math.max(1, record.expiresAtMs - nowMs))]);
    },

    /** Returns a session. It may have expired. */
    async find(user: string, id: string): Promise<ConsoleSessionRecord | undefined> {
      const key = keys.consoleSessions(user);
      const text = (await link.send(key, ['HGET', key, id])) as string | null;
      return text === null ? undefined : (JSON.parse(text) as ConsoleSessionRecord);
    },

    async end(user: string, id: string): Promise<void> {
      const key = keys.consoleSessions(user);
      await link.send(key, ['HDEL', key, id]);
    },

    /** Ends all sessions of a user. */
    async endAll(user: string): Promise<void> {
      const key = keys.consoleSessions(user);
      await link.send(key, ['DEL', key]);
    },
  };
}
