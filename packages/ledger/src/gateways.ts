import type { Keys } from './keys.ts';
import type { RedisLink } from './redis/link.ts';
import { loadScript } from './scripts.ts';
import type { createPools } from './pools.ts';
import type { createSessions, Owner } from './sessions.ts';

const JOIN = loadScript('gateway_join');
const RENEW = loadScript('gateway_renew');
const DEAD = loadScript('gateways_dead');

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
export function createGateways(link: RedisLink, keys: Keys, parts: GatewayParts) {
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

  /** Fails the streams of processes that are gone; returns how many. */
  async function reapDead(): Promise<number> {
    const [nowText] = (await link.run(DEAD, keys.gateways(), [1, 0])) as unknown[];
    const now = Number(nowText);
    const step = now - (lastTimeMs ?? now);
    lastTimeMs = now;
    // After a pause of Redis or of this process leases could not be renewed: silence is not death.
    if (step < 0 || step > largestStepMs) carefulUntilMs = now + leaseMs;
    if (now < carefulUntilMs) return 0;
    const [, ...dead] = (await link.run(DEAD, keys.gateways(), [0, reaperRetryMs])) as string[];
    let failed = 0;
    for (const id of dead) failed += await failAll(id);
    return failed;
  }

  async function failAll(id: string): Promise<number> {
    const members = (await link.send(keys.owned(id), ['SMEMBERS', keys.owned(id)])) as string[];
    let failed = 0;
    for (const entry of members) {
      const [epoch, tenant = '', sessionId = ''] = entry.split(' ');
      const ended = await sessions.fail(tenant, sessionId, { id, epoch: Number(epoch) }, 0, 'gateway lost');
      if (ended.outcome === 'ok') failed++;
      if ('model' in ended) await pools.leave(ended.model, sessionId, tenant);
    }
    await link.send(keys.owned(id), ['DEL', keys.owned(id)]);
    await link.send(keys.gateways(), ['ZREM', `${keys.gateways()}:dead`, id]);
    return failed;
  }

  return { join, renew, leave, own, disown, reapDead };
}
