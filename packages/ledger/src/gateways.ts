import type { RedisKeys } from './keys.ts';
import type { RedisLink } from './redis/link.ts';
import { loadScript } from './scripts.ts';
import type { createPools } from './pools.ts';
import type { createSessions, Owner } from './sessions.ts';

const JOIN = loadScript('gateway_join');
const RENEW = loadScript('gateway_renew');
const DEAD = loadScript('gateways_dead');

/** Streams of a dead process that are failed side by side: one by one, a node that is away would hold up the rest. */
const FAILED_AT_ONCE = 100;

/** A stream that a gateway process holds. */
export interface OwnedStream {
  tenant: string;
  sessionId: string;
}

export interface GatewayParts {
  sessions: ReturnType<typeof createSessions>;
  pools: ReturnType<typeof createPools>;
  leaseMs: number;
  reaperRetryMs: number;
  /** Redis TIME may not jump by more than this between two looks, else every lease is given a new chance. */
  largestStepMs: number;
}

/** Leases of gateway processes: whoever's runs out has its streams failed, uncharged, by one of the others. */
export function createGateways(link: RedisLink, keys: RedisKeys, parts: GatewayParts) {
  const { sessions, pools, leaseMs, reaperRetryMs, largestStepMs } = parts;
  let lastTimeMs: number | undefined;
  let carefulUntilMs = 0;
  const member = (owner: Owner, { tenant, sessionId }: OwnedStream) => [owner.epoch, tenant, sessionId].join(' ');

  /** Begins a process and gives it an epoch. */
  async function join(id: string): Promise<Owner> {
    return { id, epoch: Number(await link.run(JOIN, keys.gateways(), [id, leaseMs])) };
  }

  /** Renews the lease; false: it was taken for dead and must begin anew. */
  async function renew(owner: Owner): Promise<boolean> {
    return (await link.run(RENEW, keys.gateways(), [owner.id, leaseMs])) === 1;
  }

  /**
   * Ends a process. Its lease runs out now rather than being forgotten: the next look of a reaper fails what it has not
   * settled. Whether there is such a stream cannot be asked in the same step, for its notes may be on another node.
   */
  async function leave(owner: Owner): Promise<void> {
    await link.send(keys.gateways(), ['ZADD', keys.gateways(), 'XX', '0', owner.id]);
  }

  /** Notes a stream before it is connected, so that nothing can be left behind. */
  async function own(owner: Owner, stream: OwnedStream): Promise<void> {
    await link.send(keys.owned(owner.id), ['SADD', keys.owned(owner.id), member(owner, stream)]);
  }

  async function disown(owner: Owner, stream: OwnedStream): Promise<void> {
    await link.send(keys.owned(owner.id), ['SREM', keys.owned(owner.id), member(owner, stream)]);
  }

  /**
   * Fails the streams of processes that are gone; returns how many. What cannot be failed is told and tried again when
   * its process comes back into sight; other streams and processes are not held up.
   */
  async function reapDead(onError: (error: unknown) => void): Promise<number> {
    const [nowText] = (await link.run(DEAD, keys.gateways(), [1, 0])) as unknown[];
    const now = Number(nowText);
    const step = now - (lastTimeMs ?? now);
    lastTimeMs = now;
    // After a pause of Redis or of this process leases could not be renewed: silence is not death.
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

  /** Fails what a process held, and forgets it once nothing is left. */
  async function failAll(id: string, onError: (error: unknown) => void): Promise<number> {
    const key = keys.owned(id);
    const members = (await link.send(key, ['SMEMBERS', key])) as string[];
    let failed = 0;
    let left = members.length;
    for (let from = 0; from < members.length; from += FAILED_AT_ONCE) {
      const looks = members.slice(from, from + FAILED_AT_ONCE).map(async (entry) => {
        try {
          if (await failOne(id, entry)) failed++;
          return [entry];
        } catch (error) {
          onError(error);
          return [];
        }
      });
      const done = (await Promise.all(looks)).flat();
      if (done.length > 0) await link.send(key, ['SREM', key, ...done]);
      left -= done.length;
    }
    if (left === 0) await link.send(keys.gateways(), ['ZREM', `${keys.gateways()}:dead`, id]);
    return failed;
  }

  /** True when it was this call that ended the session. */
  async function failOne(id: string, entry: string): Promise<boolean> {
    const [epoch, tenant = '', sessionId = ''] = entry.split(' ');
    const ended = await sessions.fail(tenant, sessionId, { id, epoch: Number(epoch) }, 0, 'gateway lost');
    if ('model' in ended) await pools.leave(ended.model, sessionId, tenant);
    return ended.outcome === 'ok';
  }

  return { join, renew, leave, own, disown, reapDead };
}
