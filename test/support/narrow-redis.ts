import type { RedisLink } from '@svc-asr/ledger';
import type { TestRedis } from './redis.ts';

/** A Redis user whose permissions a test changes. */
export interface NarrowUser {
  /** URL with which this user connects. */
  readonly url: string;
  /** Sets the permissions, as rules of ACL SETUSER. */
  allow: (...rules: string[]) => Promise<void>;
}

/** Creates a user with all permissions. `admin` is a connection that may create users. */
export async function createNarrowUser(redis: TestRedis, admin: RedisLink, name: string): Promise<NarrowUser> {
  const allow = async (...rules: string[]) => {
    await admin.send('', ['ACL', 'SETUSER', name, ...rules]);
  };
  await allow('on', '>secret', '~*', '+@all');
  return { url: `redis://${name}:secret@127.0.0.1:${redis.port}`, allow };
}

/**
 * Key patterns for everything except accounts. Redis refuses every session command of a user with only these patterns.
 */
export const WITHOUT_ACCOUNTS = ['resetkeys', '~*:{o}:*', '~*:{g:*', '~*:{m:*', '~*:{d:*', '~*:{k:*'] as const;
