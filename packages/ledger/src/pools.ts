import type { RedisKeys } from './keys.ts';
import type { RedisLink } from './redis/link.ts';
import { loadScript } from './scripts.ts';
import type { Placement, PlaceRequest, PoolLoad } from './types.ts';

const CLAIM = loadScript('claim');
const PLACE = loadScript('place');
const LEAVE = loadScript('leave');
const LOAD = loadScript('load');

/** Places for sessions in a model's pool of workers. */
export function createPools(link: RedisLink, keys: RedisKeys) {
  return {
    /** Says whether a pool can still grow; its slots are the sum of its workers'. */
    async configure(model: string, pool: { canGrow: boolean }): Promise<void> {
      const key = keys.pool(model);
      await link.send(key, ['HSET', key, 'grow', pool.canGrow ? '1' : '0']);
    },

    /** A model that is gone has no pool; its workers, if any are left, forget themselves with their leases. */
    async remove(model: string): Promise<void> {
      await link.send(keys.pool(model), ['HDEL', keys.pool(model), 'grow', 'weights']);
      await link.send(keys.holds(model), ['DEL', keys.holds(model), keys.revisionCounts(model)]);
    },

    /** Holds a place for a session that is to connect; false when all are taken and the pool cannot grow. */
    async claim(model: string, sessionId: string, untilMs: number): Promise<boolean> {
      return (await link.run(CLAIM, keys.pool(model), [sessionId, untilMs])) === 1;
    },

    async release(model: string, sessionId: string): Promise<void> {
      await link.send(keys.holds(model), ['ZREM', keys.holds(model), sessionId]);
    },

    /** Puts a stream on a worker, or into the line; to be asked again every few hundred milliseconds while it waits. */
    async place(model: string, { sessionId, tenant, avoid = [] }: PlaceRequest): Promise<Placement> {
      const args = [sessionId, tenant, avoid.length === 0 ? '' : ` ${avoid.join(' ')} `];
      const [id, address, revision = ''] = (await link.run(PLACE, keys.pool(model), args)) as string[];
      if (id === undefined || address === undefined) return { outcome: 'wait' };
      return { outcome: 'placed', worker: { id, address, revision } };
    },

    /** Gives up slot, hold and place in the line. */
    async leave(model: string, sessionId: string, tenant: string): Promise<void> {
      await link.run(LEAVE, keys.pool(model), [sessionId, tenant]);
    },

    async load(model: string): Promise<PoolLoad> {
      const reply = ((await link.run(LOAD, keys.pool(model), [])) as unknown[]).map(Number);
      const [readAtMs = 0, active = 0, held = 0, waiting = 0, slots = 0, workers = 0] = reply;
      return { readAtMs, active, held, waiting, slots, workers };
    },
  };
}
