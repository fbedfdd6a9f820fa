import type { Due } from './due.ts';
import { failAndLeave } from './fail-and-leave.ts';
import type { EndingParts } from './fail-and-leave.ts';
import { DUE_SHARDS } from './keys.ts';
import type { RedisKeys } from './keys.ts';
import type { createOwnership } from './ownership.ts';
import type { RedisLink } from './redis/link.ts';
import { numbers } from './replies.ts';
import { loadScript } from './scripts.ts';

const TAKE = loadScript('take_due');
const EXPIRE = loadScript('expire');

const TAKEN_AT_ONCE = 100;
/** Time by which the deadline of an active session is extended while a live gateway serves it. */
const EXTENSION_MS = 60_000;

export interface ReaperParts extends EndingParts {
  due: Due;
  ownership: Pick<ReturnType<typeof createOwnership>, 'serves'>;
  /** Time after which the check of a tenant is repeated if the reaper that started it has not completed it. */
  retryMs: number;
}

/**
 * Creates the function that checks each tenant whose check is due, ends its overdue sessions and returns their number.
 * due.ts describes the marks that schedule these checks. An error for one tenant or node is reported, and all other
 * tenants are still checked. After an error, the tenant is checked again after `retryMs`.
 */
export function createReaper(link: RedisLink, keys: RedisKeys, parts: ReaperParts) {
  const { due, ownership, retryMs } = parts;

  return async (onError: (error: unknown) => void): Promise<number> => {
    const shards = Array.from({ length: DUE_SHARDS }, (_, shard) => reapShard(keys.due(shard), onError));
    let ended = 0;
    for (const result of await Promise.allSettled(shards)) {
      if (result.status === 'fulfilled') ended += result.value;
      else onError(result.reason);
    }
    return ended;
  };

  async function reapShard(key: string, onError: (error: unknown) => void): Promise<number> {
    let ended = 0;
    for (;;) {
      const marks = (await link.run(TAKE, key, [TAKEN_AT_ONCE, retryMs, due.horizonMs])) as string[];
      const checks = [...byTenant(marks)].map(async ([tenant, members]) => {
        try {
          const { count, nowMs, nextMs } = await endOverdue(tenant);
          ended += count;
          // The next mark is written before the current marks are removed, so that a remaining session always has a
          // mark.
          if (nextMs > 0) await due.markNext(tenant, nextMs, nowMs);
          // In a cluster, the clock of the tenant's node may be behind that of the mark's node. A mark that is not due
          // yet on the tenant's node is therefore kept. The exception is a mark that is further ahead than `horizonMs`:
          // it was set before a clock stepped back, so it is removed.
          const aheadMs = (member: string) => Number.parseInt(member) * 1000 - nowMs;
          return members.filter((member) => aheadMs(member) <= 0 || aheadMs(member) > due.horizonMs);
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

  /**
   * Ends the overdue sessions of a tenant. `nextMs` in the result is the time at which the next session is overdue. It
   * is 0 if there is no such session.
   */
  async function endOverdue(tenant: string): Promise<{ count: number; nowMs: number; nextMs: number }> {
    let count = 0;
    for (;;) {
      const [endedText, nowText, nextText, ...active] = (await link.run(EXPIRE, keys.account(tenant), [])) as unknown[];
      const [ended = 0, nowMs = 0, nextMs = 0] = numbers([endedText, nowText, nextText]);
      const failed = await Promise.all((active as string[][]).map((row) => failUnserved(tenant, row, nowMs)));
      count += ended + failed.filter(Boolean).length;
      if (ended === 0 && active.length === 0) return { count, nowMs, nextMs };
    }
  }

  /**
   * Fails an overdue active session without a charge, unless a live gateway serves it. Returns true if this call failed
   * the session.
   */
  async function failUnserved(tenant: string, [sessionId = '', id = '', epoch, chain]: string[], nowMs: number) {
    const owner = { id, epoch: Number(epoch) };
    const stream = { tenant, sessionId, chainId: chain === '' ? undefined : chain };
    if (await ownership.serves(owner, stream)) {
      const live = keys.live(tenant);
      await link.send(live, ['ZADD', live, 'XX', 'GT', String(nowMs + EXTENSION_MS), sessionId]);
      return false;
    }
    return failAndLeave(parts, owner, stream, 'deadline passed');
  }
}

/** Groups marks of the form `SECOND:TENANT` by tenant. */
function byTenant(marks: readonly string[]): Map<string, string[]> {
  const tenants = new Map<string, string[]>();
  for (const mark of marks) {
    const tenant = mark.slice(mark.indexOf(':') + 1);
    tenants.set(tenant, [...(tenants.get(tenant) ?? []), mark]);
  }
  return tenants;
}
