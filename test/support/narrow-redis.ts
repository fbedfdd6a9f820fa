import type { RedisLink } from '@svc-asr/ledger';
import type { TestRedis } from './redis.ts';

/** A user of a Redis whose rights a test takes away and gives back. */
export interface NarrowUser {
  /** Where this user connects. */
  readonly url: string;
  /** Changes its rights, in the words of ACL SETUSER. */
  allow: (...rules: string[]) => Promise<void>;
}

/** Makes a user who may do everything; `admin` is a connection that may make users. */
export async function makeNarrowUser(redis: TestRedis, admin: RedisLink, name: string): Promise<NarrowUser> {
  const allow = async (...rules: string[]) => {
    await admin.send('', ['ACL', 'SETUSER', name, ...rules]);
  };
  await allow('on', '>secret', '~*', '+@all');
  return { url: `redis://${name}:secret@127.0.0.1:${redis.port}`, allow };
}

/** Keys of everything but accounts: whoever has only these is refused whatever concerns a session. */
export const WITHOUT_ACCOUNTS = ['resetkeys', '~*:{o}:*', '~*:{g:*', '~*:{m:*', '~*:{d:*', '~*:{k:*'] as const;
