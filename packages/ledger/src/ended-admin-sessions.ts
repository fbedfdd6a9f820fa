import type { RedisKeys } from './keys.ts';
import type { RedisLink } from './redis/link.ts';
import { fields } from './replies.ts';

/** Field with the time before which all sessions have ended. Ids of sessions are hexadecimal. */
const ALL = 'all';

/** Sessions of administrators that were ended before they expired. */
export interface EndedAdminSessions {
  /** Time until which each ended session would have been valid, by its id. */
  readonly untilMs: ReadonlyMap<string, number>;
  /** Sessions that started before this time have ended. */
  readonly startedBeforeMs: number;
}

/** Creates the list of ended sessions. Sessions themselves are signed cookies, which Redis does not contain. */
export function createEndedAdminSessions(link: RedisLink, keys: RedisKeys) {
  const key = keys.endedAdminSessions();
  return {
    async read(): Promise<EndedAdminSessions> {
      const stored = fields(await link.send(key, ['HGETALL', key]));
      const startedBeforeMs = Number(stored.get(ALL) ?? 0);
      stored.delete(ALL);
      return { untilMs: new Map([...stored].map(([id, until]) => [id, Number(until)])), startedBeforeMs };
    },

    /** Adds sessions, and removes sessions that have expired by `nowMs`. */
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
