import type { RedisKeys } from './keys.ts';
import type { RedisLink } from './redis/link.ts';
import { loadScript } from './scripts.ts';
import { splitAddresses } from './workers.ts';
import type { Placement, PlaceRequest, PoolGrowth, PoolGrowthState, PoolLoad, PoolState } from './pool-types.ts';

const CLAIM = loadScript('claim');
const PLACE = loadScript('place');
const LEAVE = loadScript('leave');
const LOAD = loadScript('load');
const WAIT = loadScript('wait');

/**
 * Time for which `place` is refused after `leave` was called for the same stream. It is far longer than a command can
 * be delayed.
 */
const TOMBSTONE_MS = 120_000;

/** Fields of a pool that are deleted when its model is deleted. The other fields belong to its workers. */
const MODEL_FIELDS = ['grow', 'capacity', 'growth', 'tiers', 'weights', 'contexts', 'turns:qh', 'turns:q'];

/** Manages the capacity of the worker pools: holds capacity for sessions and assigns streams to workers. */
export function createPools(link: RedisLink, keys: RedisKeys) {
  return {
    /**
     * Sets how far a pool can grow, and the order of its tiers. The slots of the pool are not set here, because they
     * are the sum of its workers' slots.
     */
    async configure(model: string, { canGrow, capacity, growth, tiers = [] }: PoolGrowth): Promise<void> {
      const key = keys.pool(model);
      const fields = ['grow', canGrow ? '1' : '0', 'capacity', String(capacity ?? ''), 'growth', growth ?? ''];
      await link.send(key, ['HSET', key, ...fields, 'tiers', tiers.join(' ')]);
    },

    /** Removes the pool of a deleted model. Workers that remain are removed when their leases expire. */
    async remove(model: string): Promise<void> {
      await link.send(keys.pool(model), ['HDEL', keys.pool(model), ...MODEL_FIELDS]);
      await link.send(keys.holds(model), ['DEL', keys.holds(model), keys.revisionCounts(model)]);
    },

    /** Returns the contexts that a worker of the model has reported last. Empty if no worker has reported any. */
    async contexts(model: string): Promise<[left: number, right: number][]> {
      const key = keys.pool(model);
      const text = (await link.send(key, ['HGET', key, 'contexts'])) as string | null;
      return (text ?? '').split(' ').flatMap((pair) => {
        const [left, right] = pair.split(',').map(Number);
        return left !== undefined && right !== undefined ? [[left, right] as [number, number]] : [];
      });
    },

    /**
     * Holds capacity for a session that will connect. Returns false if streams, queued streams and other holds take
     * every slot that the pool has or can get. The session then counts as demand for `refusedMs`, the time after which
     * its client should retry.
     */
    async claim(model: string, sessionId: string, untilMs: number, refusedMs = 0): Promise<boolean> {
      return (await link.run(CLAIM, keys.pool(model), [sessionId, untilMs, refusedMs])) === 1;
    },

    async release(model: string, sessionId: string): Promise<void> {
      await link.send(keys.holds(model), ['ZREM', keys.holds(model), sessionId]);
    },

    /**
     * Assigns a stream to a worker, or enqueues it. If it was enqueued, call this again after a notification that names
     * the stream. Until then call `renewWaits` regularly, or the stream loses its place.
     */
    async place(model: string, request: PlaceRequest): Promise<Placement> {
      const { sessionId, tenant, avoid = [], servedBy = '', gateway = '', priority = 'normal' } = request;
      const args = [sessionId, tenant, avoid.length === 0 ? '' : ` ${avoid.join(' ')} `, servedBy, gateway, priority];
      const reply = (await link.run(PLACE, keys.pool(model), args)) as string[];
      const [id = '', address = '', revision = '', further = ''] = reply;
      if (id === '') return { outcome: 'wait', slots: Number(address), growth: revision as PoolGrowthState | '' };
      return { outcome: 'placed', worker: { id, address, furtherAddresses: splitAddresses(further), revision } };
    },

    /**
     * Renews the places of at most 1,000 queued streams. Returns the state of the pool and the ids of streams that are
     * not queued. Such a stream has a worker or has lost its place. Call `place` to find out which.
     */
    async renewWaits(model: string, sessionIds: readonly string[]): Promise<PoolState & { changed: string[] }> {
      const reply = (await link.run(WAIT, keys.pool(model), sessionIds)) as string[];
      const [slots, growth, ...changed] = reply;
      return { slots: Number(slots), growth: growth as PoolGrowthState | '', changed };
    },

    /**
     * Returns the name of the sharded channel on which the scripts notify a gateway. A message contains ids of the
     * gateway's streams, separated by spaces. They are the queued streams of this model that got a worker.
     */
    channelOf: (model: string, gateway: string) => keys.placements(model, gateway),

    /**
     * Releases what a session has in the pool. This is its slot, its place in the queue, and the capacity that is held
     * for it until it connects. A later placement of the session is refused.
     */
    async leave(model: string, sessionId: string, tenant: string): Promise<void> {
      await link.run(LEAVE, keys.pool(model), [sessionId, tenant, TOMBSTONE_MS]);
    },

    async load(model: string): Promise<PoolLoad> {
      const reply = ((await link.run(LOAD, keys.pool(model), [])) as unknown[]).map(Number);
      const [readAtMs = 0, active = 0, held = 0, waiting = 0, slots = 0, workers = 0, refused = 0] = reply;
      return { readAtMs, active, held, waiting, refused, slots, workers };
    },
  };
}
