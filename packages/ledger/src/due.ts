import type { Clock } from './clock.ts';
import { dueShard } from './keys.ts';
import type { RedisKeys } from './keys.ts';
import type { RedisLink } from './redis/link.ts';

/**
 * Time that may pass between reading the clock for a mark (see `createDue`) and creating the reservation. If more time
 * passes, a new mark may be needed.
 */
const SLACK_MS = 500;
/** Must equal MARK_TOLERANCE_MS in scripts/reserve.lua. */
const TOLERANCE_MS = 60_000;
/** Longest time between two checks of a tenant that has sessions. */
const CHECK_INTERVAL_MS = 60_000;
const REMEMBERED = 10_000;

/**
 * Schedules checks for overdue sessions. A mark consists of a second and a tenant. It is due at that second, and the
 * reaper then checks the tenant. Marks are written before the reservation, so an overdue session is found even if its
 * gateway crashes. As long as a tenant has sessions, each check by the reaper writes the mark of the next check. An
 * unnecessary mark only costs one check.
 */
export function createDue(link: RedisLink, keys: RedisKeys, clock: Clock, { ttlMs }: { ttlMs: number }) {
  /**
   * Longest time from now until a mark is due, with a tolerance for differences between the clocks of a cluster. If a
   * mark is due even later, the clock of Redis has stepped back since the mark was written. The reaper then checks the
   * tenant immediately.
   */
  const horizonMs = Math.max(ttlMs, CHECK_INTERVAL_MS) + 2 * TOLERANCE_MS;
  /**
   * For each tenant, the times in seconds at which its last marks are due. The list has one time for each lifetime that
   * was passed to `mark`.
   */
  const written = new Map<string, readonly number[]>();

  /**
   * Writes marks for the times at which a new session may be overdue: one mark for each lifetime that the session can
   * have. Returns the time of the latest mark.
   */
  async function mark(tenant: string, lifetimesMs: readonly number[]): Promise<number> {
    const seconds = lifetimesMs.map((lifetime) => Math.ceil((clock.now() + lifetime + SLACK_MS) / 1000));
    const last = written.get(tenant);
    const missing = last === undefined ? seconds : seconds.filter((second, at) => second !== last[at]);
    if (missing.length > 0) {
      await write(tenant, missing);
      if (written.size > REMEMBERED) written.clear();
      written.set(tenant, seconds);
    }
    return Math.max(...seconds) * 1000;
  }

  /**
   * Writes the mark for the next check of a tenant. The check is due when a session is overdue, or after
   * CHECK_INTERVAL_MS if that is earlier.
   */
  async function markNext(tenant: string, overdueMs: number, nowMs: number): Promise<void> {
    await write(tenant, [Math.ceil(Math.min(overdueMs, nowMs + CHECK_INTERVAL_MS) / 1000)]);
  }

  async function write(tenant: string, seconds: readonly number[]): Promise<void> {
    const key = keys.due(dueShard(tenant));
    const members = seconds.flatMap((second) => [String(second * 1000), `${second}:${tenant}`]);
    await link.send(key, ['ZADD', key, ...members]);
  }

  return { mark, markNext, horizonMs, observe: clock.observe };
}

export type Due = ReturnType<typeof createDue>;
