import type { Clock } from './clock.ts';
import { DUE_SHARDS, dueShard } from './keys.ts';
import type { Keys } from './keys.ts';
import type { RedisLink } from './redis/link.ts';
import { loadScript } from './scripts.ts';

const TAKE = loadScript('take_due');
const EXPIRE = loadScript('expire');

/** Time between reading the clock for a mark and the reservation it is for; later than that a new mark is needed. */
const SLACK_MS = 500;
const TAKEN_AT_ONCE = 100;
/** A mark whose reaper died comes back into sight after this. */
const OUT_OF_SIGHT_MS = 5000;
const REMEMBERED = 10_000;

/**
 * Marks say "at this second look at this tenant". They are written before the reservation they are for, so whatever
 * happens to the gateway, somebody looks when its time is over. A mark too many costs one look.
 */
export function createDue(link: RedisLink, keys: Keys, clock: Clock) {
  const written = new Set<string>();

  /** Marks the times at which a session with these lifetimes may be overdue; returns the latest time it covers. */
  async function mark(tenant: string, lifetimesMs: readonly number[]): Promise<number> {
    const seconds = lifetimesMs.map((lifetime) => Math.ceil((clock.now() + lifetime + SLACK_MS) / 1000));
    const missing = seconds.filter((second) => !written.has(`${second}:${tenant}`));
    if (missing.length > 0) {
      const key = keys.due(dueShard(tenant));
      const members = missing.flatMap((second) => [String(second * 1000), `${second}:${tenant}`]);
      await link.send(key, ['ZADD', key, ...members]);
      if (written.size > REMEMBERED) written.clear();
      for (const second of missing) written.add(`${second}:${tenant}`);
    }
    return Math.max(...seconds) * 1000;
  }

  /** Looks at every tenant whose mark is due and ends what is overdue; returns how many sessions ended. */
  async function reap(): Promise<number> {
    let ended = 0;
    for (let shard = 0; shard < DUE_SHARDS; shard++) ended += await reapShard(keys.due(shard));
    return ended;
  }

  async function reapShard(key: string): Promise<number> {
    let ended = 0;
    for (;;) {
      const members = (await link.run(TAKE, key, [TAKEN_AT_ONCE, OUT_OF_SIGHT_MS])) as string[];
      const tenants = new Set(members.map((member) => member.slice(member.indexOf(':') + 1)));
      for (const tenant of tenants) ended += await expireAll(tenant);
      if (members.length > 0) await link.send(key, ['ZREM', key, ...members]);
      if (members.length < TAKEN_AT_ONCE) return ended;
    }
  }

  async function expireAll(tenant: string): Promise<number> {
    let ended = 0;
    for (;;) {
      const now = Number(await link.run(EXPIRE, keys.account(tenant), []));
      ended += now;
      if (now === 0) return ended;
    }
  }

  return { mark, reap, observe: clock.observe };
}

export type Due = ReturnType<typeof createDue>;
