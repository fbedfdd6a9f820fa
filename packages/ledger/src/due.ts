import type { Clock } from './clock.ts';
import { DUE_SHARDS, dueShard } from './keys.ts';
import type { RedisKeys } from './keys.ts';
import type { RedisLink } from './redis/link.ts';
import { numbers } from './replies.ts';
import { loadScript } from './scripts.ts';

const TAKE = loadScript('take_due');
const EXPIRE = loadScript('expire');

/** Maximum time between reading the clock for a mark and creating the reservation. After that a new mark is needed. */
const SLACK_MS = 500;
const TAKEN_AT_ONCE = 100;
const REMEMBERED = 10_000;

/**
 * Schedules checks for overdue sessions. A mark is a second and a tenant: in that second the reaper checks the tenant.
 * Marks are written before the reservation, so an overdue session is found even if its gateway crashes. An unnecessary
 * mark costs one check. A mark whose reaper crashed is due again after `retryMs`.
 */
export function createDue(link: RedisLink, keys: RedisKeys, clock: Clock, retryMs: number) {
  /** Seconds that were marked last for each tenant, one per lifetime. */
  const written = new Map<string, readonly number[]>();

  /**
   * Marks the times at which a session with these lifetimes may be overdue. Returns the latest time that the marks
   * cover.
   */
  async function mark(tenant: string, lifetimesMs: readonly number[]): Promise<number> {
    const seconds = lifetimesMs.map((lifetime) => Math.ceil((clock.now() + lifetime + SLACK_MS) / 1000));
    const last = written.get(tenant);
    const missing = last === undefined ? seconds : seconds.filter((second, at) => second !== last[at]);
    if (missing.length > 0) {
      const key = keys.due(dueShard(tenant));
      const members = missing.flatMap((second) => [String(second * 1000), `${second}:${tenant}`]);
      await link.send(key, ['ZADD', key, ...members]);
      if (written.size > REMEMBERED) written.clear();
      written.set(tenant, seconds);
    }
    return Math.max(...seconds) * 1000;
  }

  /**
   * Checks each tenant with a due mark and ends its overdue sessions. Returns the number of sessions ended. An error of
   * one tenant or node is reported and retried when its mark is due again; it does not delay the others.
   */
  async function reap(onError: (error: unknown) => void): Promise<number> {
    const shards = Array.from({ length: DUE_SHARDS }, (_, shard) => reapShard(keys.due(shard), onError));
    let ended = 0;
    for (const result of await Promise.allSettled(shards)) {
      if (result.status === 'fulfilled') ended += result.value;
      else onError(result.reason);
    }
    return ended;
  }

  async function reapShard(key: string, onError: (error: unknown) => void): Promise<number> {
    let ended = 0;
    for (;;) {
      const marks = (await link.run(TAKE, key, [TAKEN_AT_ONCE, retryMs])) as string[];
      const checks = [...byTenant(marks)].map(async ([tenant, members]) => {
        try {
          const { count, nowMs } = await expireAll(tenant);
          ended += count;
          // In a cluster, the clock of the tenant's node may be behind. A mark that is not due there yet is kept.
          return members.filter((member) => Number.parseInt(member) * 1000 <= nowMs);
        } catch (error) {
          onError(error);
          return [];
        }
      });
      const done = (await Promise.all(checks)).flat();
      if (done.length > 0) await link.send(key, ['ZREM', key, ...done]);
      if (marks.length < TAKEN_AT_ONCE) return ended;
    }
  }

  async function expireAll(tenant: string): Promise<{ count: number; nowMs: number }> {
    let count = 0;
    for (;;) {
      const [ended = 0, nowMs = 0] = numbers(await link.run(EXPIRE, keys.account(tenant), []));
      count += ended;
      if (ended === 0) return { count, nowMs };
    }
  }

  return { mark, reap, observe: clock.observe };
}

/** Groups marks, which are `SECOND:TENANT`, by tenant. */
function byTenant(marks: readonly string[]): Map<string, string[]> {
  const tenants = new Map<string, string[]>();
  for (const mark of marks) {
    const tenant = mark.slice(mark.indexOf(':') + 1);
    tenants.set(tenant, [...(tenants.get(tenant) ?? []), mark]);
  }
  return tenants;
}

export type Due = ReturnType<typeof createDue>;
