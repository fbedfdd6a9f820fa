import type { RedisKeys } from './keys.ts';
import type { RedisLink } from './redis/link.ts';
import { loadScript } from './scripts.ts';
import type { createPools } from './pools.ts';
import type { createSessions, Owner } from './sessions.ts';

const JOIN = loadScript('gateway_join');
const RENEW = loadScript('gateway_renew');
const DEAD = loadScript('gateways_dead');

/**
 * Number of streams of a dead gateway process that are marked as failed in parallel. If one Redis node is unavailable,
 * streams on other nodes do not wait for it.
 */
const FAILED_AT_ONCE = 100;

/** A stream that a gateway process owns. */
export interface OwnedStream {
  tenant: string;
  sessionId: string;
}

export interface GatewayParts {
  sessions: ReturnType<typeof createSessions>;
  pools: ReturnType<typeof createPools>;
  leaseMs: number;
  reaperRetryMs: number;
  /**
   * Longest plausible step of Redis TIME between two checks. After a longer one, no process is declared dead for the
   * duration of a lease.
   */
  largestStepMs: number;
}

/**
 * Leases of gateway processes. When a lease expires, another gateway fails the streams of that process without a
 * charge.
 */
export function createGateways(link: RedisLink, keys: RedisKeys, parts: GatewayParts) {
  const { sessions, pools, leaseMs, reaperRetryMs, largestStepMs } = parts;
  let lastTimeMs: number | undefined;
  let carefulUntilMs = 0;
  const member = (owner: Owner, { tenant, sessionId }: OwnedStream) => [owner.epoch, tenant, sessionId].join(' ');

  /** Registers a process and returns its new epoch. */
  async function join(id: string): Promise<Owner> {
    return { id, epoch: Number(await link.run(JOIN, keys.gateways(), [id, leaseMs])) };
  }

  /** Renews the lease. Returns false if it had expired; the process must then join again. */
  async function renew(owner: Owner): Promise<boolean> {
    return (await link.run(RENEW, keys.gateways(), [owner.id, leaseMs])) === 1;
  }

  /**
   * Ends a process by letting its lease expire now, so that the next reaper fails any stream it has not settled.
   * Removing the process would require a check for such streams, whose list may be on another node.
   */
  async function leave(owner: Owner): Promise<void> {
    await link.send(keys.gateways(), ['ZADD', keys.gateways(), 'XX', '0', owner.id]);
  }

  /** Records a stream before it is connected, so that a crash cannot leave it without an owner. */
  async function own(owner: Owner, stream: OwnedStream): Promise<void> {
    await link.send(keys.owned(owner.id), ['SADD', keys.owned(owner.id), member(owner, stream)]);
  }

  async function disown(owner: Owner, stream: OwnedStream): Promise<void> {
    await link.send(keys.owned(owner.id), ['SREM', keys.owned(owner.id), member(owner, stream)]);
  }

  /**
   * Fails the streams of dead processes. Returns the number of streams failed. A stream that cannot be failed is
   * reported and retried when its process is returned again. It does not delay other streams and processes.
   */
  async function reapDead(onError: (error: unknown) => void): Promise<number> {
    const [nowText] = (await link.run(DEAD, keys.gateways(), [1, 0])) as unknown[];
    const now = Number(nowText);
    const step = now - (lastTimeMs ?? now);
    lastTimeMs = now;
    // If Redis or this process was paused, other processes could not renew their leases. Missing renewals then prove
    // nothing.
    if (step < 0 || step > largestStepMs) carefulUntilMs = now + leaseMs;
    if (now < carefulUntilMs) return 0;
    const [, ...dead] = (await link.run(DEAD, keys.gateways(), [0, reaperRetryMs])) as string[];
    let failed = 0;
    for (const result of await Promise.allSettled(dead.map((id) => failAll(id, onError)))) {
      if (result.status === 'fulfilled') failed += result.value;
      else onError(result.reason);
    }
    return failed;
  }

  /** Fails the streams that a process owned, and removes the process once none is left. */
  async function failAll(id: string, onError: (error: unknown) => void): Promise<number> {
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

  /** Returns true if this call ended the session. */
  async function failOne(id: string, entry: string): Promise<boolean> {
    const [epoch, tenant = '', sessionId = ''] = entry.split(' ');
    const ended = await sessions.fail(tenant, sessionId, { id, epoch: Number(epoch) }, 0, 'gateway lost');
    if ('model' in ended) await pools.leave(ended.model, sessionId, tenant);
    return ended.outcome === 'ok';
  }

  return { join, renew, leave, own, disown, reapDead };
}
