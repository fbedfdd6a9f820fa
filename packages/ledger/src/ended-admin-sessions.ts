import type { RedisKeys } from './keys.ts';
import type { RedisLink } from './redis/link.ts';
import { fields } from './replies.ts';

/** Field that contains `startedBeforeMs`. It differs from every session id, because ids are hexadecimal. */
const ALL = 'all';

/** Sessions of administrators that were ended before their expiry. */
export interface EndedAdminSessions {
  /** Time until which each ended session would have been valid, by its id. */
  readonly untilMs: ReadonlyMap<string, number>;
  /** All sessions that started before this time count as ended. */
  readonly startedBeforeMs: number;
}

/**
 * Creates access to the list of ended sessions of administrators. Redis does not store the other sessions of
 * administrators, which exist only as signed cookies.
 */
export function createEndedAdminSessions(link: RedisLink, keys: RedisKeys) {
  const key = keys.endedAdminSessions();
  return {
    async read(): Promise<EndedAdminSessions> {
      const stored = fields(await link.send(key, ['HGETALL', key]));
      const startedBeforeMs = Number(stored.get(ALL) ?? 0);
      stored.delete(ALL);
      return { untilMs: new Map([...stored].map(([id, until]) => [id, Number(until)])), startedBeforeMs };
    },

    /** Adds ended sessions. Removes sessions from the list whose cookies have expired by `nowMs`. */
    async add({ untilMs, startedBeforeMs }: EndedAdminSessions, nowMs: number): Promise<void> {
      const known = await this.read();
      const expired = [...known.untilMs].flatMap(([id, until]) => (until <= nowMs ? [id] : []));
      if (expired.length > 0) await link.send(key, ['HDEL', key, ...expired]);
      const latest = Math.max(startedBeforeMs, known.startedBeforeMs);
      const added = [...untilMs].flatMap(([id, until]) => [id, String(until)]);
      await link.send(key, ['HSET', key, ALL, String(latest), ...added]);
    },
  };
}
