import { failAndLeave } from './fail-and-leave.ts';
import type { EndingParts } from './fail-and-leave.ts';
import type { RedisKeys } from './keys.ts';
import { readOwned } from './owned-stream.ts';
import type { RedisLink } from './redis/link.ts';
import { numbers } from './replies.ts';
import { loadScript } from './scripts.ts';
import type { Owner } from './sessions.ts';

const JOIN = loadScript('gateway_join');
const RENEW = loadScript('gateway_renew');
const DEAD = loadScript('gateways_dead');

/**
 * Number of streams of a dead gateway process that are failed in parallel. Within such a group, a stream on an
 * unavailable Redis node does not delay the others.
 */
const FAILED_AT_ONCE = 100;
/** Time for which a process that was declared dead cannot own streams. It is longer than most pauses of a process. */
const DECLARED_DEAD_MS = 86_400_000;

/** State of the other gateways, which a renewal returns. */
export interface Renewal {
  /**
   * Number of streams that the audio memory of the other live gateways can accept. Infinity if one of them has
   * published no number, because it has just joined or is of an older version.
   */
  freeElsewhere: number;
}

export interface GatewayParts extends EndingParts {
  leaseMs: number;
  reaperRetryMs: number;
}

/** Creates access to the leases of gateway processes and to the streams that they own. */
export function createGateways(link: RedisLink, keys: RedisKeys, parts: GatewayParts) {
  const { leaseMs } = parts;

  /** Registers a process and returns its new epoch. */
  async function join(id: string): Promise<Owner> {
    return { id, epoch: Number(await link.run(JOIN, keys.gateways(), [id, leaseMs])) };
  }

  /**
   * Renews the lease, and publishes `freeStreams`, the number of further streams that the process can accept. Publishes
   * nothing if `freeStreams` is undefined. An expired lease is renewed too, unless a reaper has declared the process
   * dead. Returns undefined if Redis has no lease of the process. The process must then join with a new id.
   */
  async function renew(owner: Owner, freeStreams?: number): Promise<Renewal | undefined> {
    const reply = await link.run(RENEW, keys.gateways(), [owner.id, leaseMs, freeStreams ?? '']);
    if (reply === null) return undefined;
    const [total = 0, unknown = 0] = numbers(reply);
    return { freeElsewhere: unknown > 0 ? Infinity : total };
  }

  /**
   * Ends a process by letting its lease expire now. The next reaper fails all streams that the process has not settled.
   * This function does not remove the process from Redis, because the reaper still needs the list of the streams of the
   * process.
   */
  async function leave(owner: Owner): Promise<void> {
    await link.send(keys.gateways(), ['ZADD', keys.gateways(), 'XX', '0', owner.id]);
  }

  return { join, renew, leave, reapDead: createDeadReaper(link, keys, parts) };
}

/**
 * Creates the function that fails the streams of dead processes without a charge, and returns the number of failed
 * streams. If a stream cannot be failed, the error is passed to `onError`, and a call after `reaperRetryMs` retries the
 * stream. The other streams and processes are handled in the same call.
 */
function createDeadReaper(link: RedisLink, keys: RedisKeys, parts: GatewayParts) {
  return async (onError: (error: unknown) => void): Promise<number> => {
    const dead = (await link.run(DEAD, keys.gateways(), [parts.reaperRetryMs])) as string[];
    let failed = 0;
    for (const result of await Promise.allSettled(dead.map((id) => failAll(id, onError)))) {
      if (result.status === 'fulfilled') failed += result.value;
      else onError(result.reason);
    }
    return failed;
  };

  /** Fails the streams that a process owned, and removes the process when all of them have failed. */
  async function failAll(id: string, onError: (error: unknown) => void): Promise<number> {
    const mark = keys.declaredDead(id);
    // From now on the process cannot own another stream, so the list below is complete.
    await link.send(mark, ['SET', mark, '1', 'PX', String(DECLARED_DEAD_MS)]);
    const key = keys.owned(id);
    const members = (await link.send(key, ['SMEMBERS', key])) as string[];
    let failed = 0;
    let left = members.length;
    for (let from = 0; from < members.length; from += FAILED_AT_ONCE) {
      const attempts = members.slice(from, from + FAILED_AT_ONCE).map(async (entry) => {
        try {
          if (await failOne(id, entry)) failed++;
          return [entry];
        } catch (error) {
          onError(error);
          return [];
        }
      });
      const done = (await Promise.all(attempts)).flat();
      if (done.length > 0) await link.send(key, ['SREM', key, ...done]);
      left -= done.length;
    }
    if (left === 0) await link.send(keys.gateways(), ['ZREM', `${keys.gateways()}:dead`, id]);
    return failed;
  }

  /**
   * Fails one stream and returns true if this call ended its session. If the session is not connected yet, this owner
   * can no longer connect it.
   */
  async function failOne(id: string, entry: string): Promise<boolean> {
    const { epoch, stream } = readOwned(entry);
    return failAndLeave(parts, { id, epoch }, stream, 'gateway lost', { refuseOwner: true });
  }
}
