import type { RedisKeys } from './keys.ts';
import type { RedisLink } from './redis/link.ts';
import { fields } from './replies.ts';

/** Pages with sessions of their own. A session of one page is not valid on the other. */
export type ConsoleAudience = 'developer' | 'admin';

/** Session of a user who signed in at the console with OpenID Connect. */
export interface ConsoleSessionRecord {
  /** Digest of the secret in the cookie. */
  readonly secretHash: string;
  readonly expiresAtMs: number;
  readonly issuer: string;
  readonly subject: string;
  readonly name: string | null;
  readonly email: string | null;
  /** Role of an administrator. Absent for developers, whose roles are in Members. */
  readonly role?: string;
}

/** Sessions that one user can have at a time. A further one ends the session that expires first. */
const MAX_SESSIONS = 20;

/**
 * Creates the sessions of users who signed in at the console. The sessions of one user are one hash, so that one command
 * ends all of them. `user` is a digest of the identity. The hash expires with its last session.
 */
export function createConsoleSessions(link: RedisLink, keys: RedisKeys) {
  async function readAll(key: string): Promise<[id: string, record: ConsoleSessionRecord][]> {
    const all = fields(await link.send(key, ['HGETALL', key]));
    return [...all].map(([id, text]) => [id, JSON.parse(text) as ConsoleSessionRecord]);
  }

  return {
    /** Stores a session. Removes expired sessions of the user and those beyond the maximum. */
    async put(
      audience: ConsoleAudience,
      user: string,
      id: string,
      record: ConsoleSessionRecord,
      nowMs: number,
    ): Promise<void> {
      const key = keys.consoleSessions(audience, user);
      const known = (await readAll(key)).sort(([, a], [, b]) => b.expiresAtMs - a.expiresAtMs);
      const obsolete = known.filter(([, { expiresAtMs }], at) => expiresAtMs <= nowMs || at >= MAX_SESSIONS - 1);
      if (obsolete.length > 0) await link.send(key, ['HDEL', key, ...obsolete.map(([old]) => old)]);
      await link.send(key, ['HSET', key, id, JSON.stringify(record)]);
      // All sessions have the same lifetime, so that the newest one ends last.
      await link.send(key, ['PEXPIRE', key, String(Math.max(1, record.expiresAtMs - nowMs))]);
    },

    /** Returns a session. It may have expired. */
    async find(audience: ConsoleAudience, user: string, id: string): Promise<ConsoleSessionRecord | undefined> {
      const key = keys.consoleSessions(audience, user);
      const text = (await link.send(key, ['HGET', key, id])) as string | null;
      return text === null ? undefined : (JSON.parse(text) as ConsoleSessionRecord);
    },

    async end(audience: ConsoleAudience, user: string, id: string): Promise<void> {
      const key = keys.consoleSessions(audience, user);
      await link.send(key, ['HDEL', key, id]);
    },

    /** Ends all sessions of a user. */
    async endAll(audience: ConsoleAudience, user: string): Promise<void> {
      const key = keys.consoleSessions(audience, user);
      await link.send(key, ['DEL', key]);
    },
  };
}
